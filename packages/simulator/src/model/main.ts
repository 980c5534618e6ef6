import { parseArgs } from 'node:util';
import { wholeNumberOption } from '../arguments.js';
import { guardNamed } from '../guards.js';
import { checkWalks } from './check-walks.js';
import { missingTools } from './walk.js';

const USAGE = `pnpm --filter @ids/simulator model-walks [options]

Executes random walks of the protocol's Spin model with the scripts themselves, on simulated Redis servers, and compares
the outcome of each step and the state after it.

  --walks N      how many walks, 1 or more (default: 1000)
  --from N       the first seed for Spin; each seed gives about fifty walks (default: random)
  --guard NAME   remove a guard from the scripts, as in pnpm simulate
  --help         print this help

Exit code 0: no step differs. 1: one does. 2: wrong command line. 3: spin or gcc is missing.`;

const EXIT = { agreed: 0, disagreed: 1, usage: 2, noTools: 3 };

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      walks: { type: 'string', default: '1000' },
      from: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 30)) },
      guard: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    walks: wholeNumberOption('walks', values.walks, 1),
    from: wholeNumberOption('from', values.from, 0, 2 ** 31 - 1),
    guard: values.guard === undefined ? undefined : guardNamed(values.guard),
  };
}

async function main(args: readonly string[]): Promise<number> {
  const { help, ...options } = readOptions(args);
  if (help) {
    console.log(USAGE);
    return EXIT.agreed;
  }
  const missing = await missingTools();
  if (missing !== undefined) {
    console.error(missing);
    return EXIT.noTools;
  }
  let stopped = false;
  process.once('SIGINT', () => {
    stopped = true;
  });
  const started = performance.now();
  const { walks, steps, kinds, failure } = await checkWalks({ ...options, stopped: () => stopped });
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const counts = [...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ');
  console.log(`${walks} walks from seed ${options.from}, ${steps} steps, ${seconds} s: ${counts}`);
  console.log(failure ?? 'no step differs');
  return failure === undefined ? EXIT.agreed : EXIT.disagreed;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof RangeError || (error instanceof TypeError && 'code' in error))) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = EXIT.usage;
}
