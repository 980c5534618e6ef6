/** A soak of the dispenser: processes under load, random faults on real servers, every id checked. */
import { parseArgs } from 'node:util';
import { Ledger } from './ledger.js';
import { Random } from './random.js';
import { playRound } from './round.js';
import { World } from './world.js';

const USAGE = `pnpm soak [options]

Processes take ids from one sequence while Redis, Postgres, the network and the processes themselves fail at random. Every
id is checked: none twice, in real-time order (outside split brain), first come first served, every call settled.

  --minutes N     how long, above 0; 10 by default
  --processes N   2 or more; 4 by default
  --callers N     per process, 1 or more; 8 by default
  --seed N        repeats the choice of faults (not their timing); random by default
  --calm          no faults: load alone, in one round
  --help          this text

Exit code 0: sound. 1: a guarantee was broken. 2: bad usage.`;

const ROUND_MS = 20_000;

interface Settings {
  readonly minutes: number;
  readonly processes: number;
  readonly callers: number;
  readonly seed: number;
  readonly calm: boolean;
}

function readArguments(): Settings {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      processes: { type: 'string', default: '4' },
      callers: { type: 'string', default: '8' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
      calm: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const number = (name: 'minutes' | 'processes' | 'callers' | 'seed', least: number, whole: boolean) => {
    const value = Number(values[name]);
    if (value >= least && (whole ? Number.isSafeInteger(value) : value > 0)) return value;
    throw new RangeError(
      `--${name} ${values[name]}: a ${whole ? 'whole ' : ''}number ${least === 0 && !whole ? 'above 0' : `from ${least}`} is accepted`,
    );
  };
  return {
    minutes: number('minutes', 0, false),
    processes: number('processes', 2, true),
    callers: number('callers', 1, true),
    seed: number('seed', 0, true),
    calm: values.calm,
  };
}

async function soak({ minutes, processes, callers, seed, calm }: Settings): Promise<boolean> {
  console.log(
    `soak: ${minutes} min, ${processes} processes x ${callers} callers, seed ${seed}${calm ? ', calm' : ''}`,
  );
  const world = await World.start();
  const [ledger, random] = [new Ledger(), new Random(seed)];
  const faults = new Map<string, number>();
  let stopped = false;
  process.once('SIGINT', () => {
    stopped = true;
    console.log('stopping after this round');
  });
  try {
    const end = performance.now() + minutes * 60_000;
    for (let round = 1; performance.now() < end && !stopped; round++) {
      const left = end - performance.now();
      const plan = {
        processes,
        callers,
        milliseconds: calm ? left : Math.min(ROUND_MS, left),
        faults: !calm,
      };
      const outcome = await playRound(round, { world, ledger, random, plan });
      for (const name of outcome.faults) faults.set(name, (faults.get(name) ?? 0) + 1);
      const verdict = outcome.sound ? 'sound' : 'BROKEN';
      console.log(`round ${round}  ${outcome.ids} ids  ${outcome.faults.length} faults  ${verdict}`);
    }
  } finally {
    await world.close();
  }
  return report(ledger, faults);
}

function report(ledger: Ledger, faults: ReadonlyMap<string, number>): boolean {
  const total = [...faults.values()].reduce((a, b) => a + b, 0);
  console.log(`\n${ledger.ids} ids, ${total} faults`);
  for (const [name, count] of [...faults].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`  ${count} x ${name}`);
  console.log('violations');
  for (const [level, count] of ledger.counts) console.log(`  ${count} x ${level}`);
  console.log('calls that ended in an error');
  for (const [code, count] of ledger.failures) console.log(`  ${count} x ${code}`);
  for (const message of ledger.messages) console.log(message);
  return [...ledger.counts.values()].every((count) => count === 0) && ledger.ids > 0;
}

try {
  process.exitCode = (await soak(readArguments())) ? 0 : 1;
} catch (error) {
  if (!(error instanceof RangeError || (error instanceof TypeError && 'code' in error))) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
