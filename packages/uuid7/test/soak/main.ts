/** A soak: as many ids as asked for, each compared with the one before it, as Node.js loads the package. */
import { parseArgs } from 'node:util';
import { createUuid7Generator, parseUuid7, resetUuid7s, uuid7FromBytes } from '@ids/uuid7';

const USAGE = `pnpm soak:uuid7 [options]

Issues ids from one thread by all calls, with a reset now and then, and compares each id with the one
before it: an id that is not above it is a descent or a repeat, and if there is none, no id was issued twice.

  --ids N   how many; 1,000,000,000 by default
  --help    this text

Exit code 0: sound. 1: an id did not rise. 2: bad usage.`;

const ROUND = 100_000;

function readCount(): number {
  const { values } = parseArgs({
    options: { ids: { type: 'string', default: '1e9' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const count = Number(values.ids);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new RangeError(`--ids must be a whole number from 1, got ${values.ids}`);
}

const [one, other] = [createUuid7Generator(), createUuid7Generator()];
const bytes = createUuid7Generator({ as: 'bytes' });

let last = '';
let issued = 0;
let wrong = 0;

function check(id: string): void {
  issued++;
  if (!(id > last)) {
    wrong++;
    if (wrong <= 10) console.error(`number ${issued}: ${id} is not above ${last}`);
  }
  last = id;
}

/** Each in one of a hundred rounds, the first ones in all others. */
const rounds: readonly (() => void)[] = [
  () => {
    for (let i = 0; i < ROUND; i += 1_000) for (const id of one.nextBatchSync(1_000)) check(id);
  },
  () => {
    for (let i = 0; i < ROUND; i++) check(uuid7FromBytes(bytes.nextSync()));
  },
  () => {
    for (let i = 0; i < ROUND; i += 100) {
      for (const generator of [one, other]) for (let j = 0; j < 50; j++) check(generator.nextSync());
    }
  },
  () => resetUuid7s(),
];

function plainRound(): void {
  for (let i = 0; i < ROUND; i++) check(one.nextSync());
}

async function main(): Promise<number> {
  const count = readCount();
  const started = Date.now();
  for (let round = 0; issued < count; round++) {
    (rounds[round % 100] ?? plainRound)();
    await new Promise((resolve) => setImmediate(resolve));
    if (round % 1_000 === 999) console.error(`${issued.toLocaleString('en')} ids, ${wrong} did not rise`);
  }
  const { date } = parseUuid7(last);
  const ahead = date.getTime() - Date.now();
  console.log(
    `${issued.toLocaleString('en')} ids in ${Math.round((Date.now() - started) / 1_000)} s: ${wrong} did not rise; ` +
      `the last one is dated ${ahead} ms ahead of the clock`,
  );
  return wrong === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
