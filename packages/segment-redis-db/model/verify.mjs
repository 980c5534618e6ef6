// Searches the model of the protocol with Spin: the sound variants completely, and each
// unsound one until it breaks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROMISES, SOUND_LARGE, SOUND_QUICK, UNSOUND } from './variants.mjs';

const MODEL = fileURLToPath(new URL('dispenser.pml', import.meta.url));
/** Megabytes for one search. */
const MEMORY_MB = 3_000;
/** Steps of one path. A search that reaches it counts as incomplete. */
const DEPTH = 20_000;
const EXIT = { asExpected: 0, surprise: 1, usage: 2, noTools: 3, interrupted: 130 };

const interruption = new AbortController();

/**
 * Runs a program at low priority to its end; resolves with its exit code (undefined: not
 * installed) and its output.
 */
async function run(command, args, cwd) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: interruption.signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  try {
    if (child.pid !== undefined) setPriority(child.pid, 10);
  } catch {
    // It has ended already.
  }
  try {
    const [code] = await once(child, 'close');
    return { code, output };
  } catch (error) {
    if (error.code === 'ENOENT') return { code: undefined, output: '' };
    throw error;
  }
}

const isInstalled = async (command, option) => (await run(command, [option])).code === 0;

async function findCompiler() {
  for (const command of [process.env.CC, 'gcc', 'cc', 'clang']) {
    if (command && (await isInstalled(command, '--version'))) return command;
  }
}

/** Generates and compiles the search of one variant in a folder of its own; resolves with that folder. */
async function build({ name, defines }, root, compiler) {
  const folder = join(root, name.replace(/\W+/g, '-'));
  await mkdir(folder);
  const flags = Object.entries(defines).map(([key, value]) =>
    value === '' ? `-D${key}` : `-D${key}=${value}`,
  );
  const spin = await run('spin', ['-a', ...flags, MODEL], folder);
  if (spin.code !== 0) throw new Error(`spin failed at "${name}":\n${spin.output}`);
  const options = ['-O2', '-w', '-DSAFETY', `-DMEMLIM=${MEMORY_MB}`, '-o', 'search', 'pan.c'];
  const compilation = await run(compiler, options, folder);
  if (compilation.code !== 0) throw new Error(`${compiler} failed at "${name}":\n${compilation.output}`);
  return folder;
}

/** What a search found: `nothing` only if it was complete. */
function verdict(output) {
  const violated = /assertion violated (.*?) \(at depth/.exec(output)?.[1];
  if (violated !== undefined) {
    return PROMISES.find(({ text }) => violated.includes(text))?.promise ?? `unknown assertion ${violated}`;
  }
  if (!/errors: 0\b/.test(output)) return 'an error that is no assertion';
  return /not completed|too small|MEMLIM bound/.test(output) ? 'incomplete' : 'nothing';
}

async function search(folder) {
  const started = performance.now();
  const { output } = await run(join(folder, 'search'), [`-m${DEPTH}`, '-n'], folder);
  const states = Number(/([\d.e+]+) states, stored/.exec(output)?.[1]);
  return { found: verdict(output), states, seconds: (performance.now() - started) / 1_000, output };
}

const isAsExpected = ({ expected }, found) =>
  expected.length === 0 ? found === 'nothing' : expected.includes(found);

function row(name, expected, found, states, seconds) {
  return `${name.padEnd(40)}${expected.padEnd(40)}${found.padEnd(24)}${states.padStart(12)}${seconds.padStart(9)}`;
}

/** Searches all variants in turn, one at a time; resolves with whether each was as expected. */
async function verify(variants, root, compiler) {
  console.log(row('variant', 'expected', 'found', 'states', 'seconds'));
  const building = new Map();
  const prepare = (variant) => {
    if (variant === undefined || building.has(variant)) return;
    const built = build(variant, root, compiler);
    // Awaited below; until then a failure is not unhandled.
    built.catch(() => {});
    building.set(variant, built);
  };
  let surprises = 0;
  try {
    for (const [i, variant] of variants.entries()) {
      prepare(variant);
      const folder = await building.get(variant);
      if (availableParallelism() > 1) prepare(variants[i + 1]);
      const { found, states, seconds, output } = await search(folder);
      const expected = variant.expected.join(' or ') || 'nothing';
      console.log(row(variant.name, expected, found, states.toLocaleString('en'), seconds.toFixed(1)));
      if (!isAsExpected(variant, found)) {
        surprises++;
        console.log(output.replace(/^Depth=.*\n/gm, ''));
      }
      await rm(folder, { recursive: true });
    }
  } finally {
    await Promise.allSettled(building.values());
  }
  return surprises === 0;
}

async function main(args) {
  const unknown = args.find((arg) => arg !== '--quick');
  if (unknown !== undefined) {
    console.error(`unknown option ${unknown}: --quick is the only one`);
    return EXIT.usage;
  }
  const compiler = await findCompiler();
  const missing = [
    ...((await isInstalled('spin', '-V')) ? [] : ['spin']),
    ...(compiler === undefined ? ['gcc'] : []),
  ];
  if (missing.length > 0) {
    const packages = missing.join(' ');
    console.error(
      `not installed: ${missing.join(', ')}. Install with: sudo apt-get install -y ${packages} (macOS: brew install ${packages})`,
    );
    return EXIT.noTools;
  }
  const variants = [...(args.includes('--quick') ? SOUND_QUICK : SOUND_LARGE), ...UNSOUND];
  const root = await mkdtemp(join(tmpdir(), 'dispenser-model-'));
  try {
    const asExpected = await verify(variants, root, compiler);
    console.log(asExpected ? 'All as expected.' : 'NOT as expected, see above.');
    return asExpected ? EXIT.asExpected : EXIT.surprise;
  } catch (error) {
    if (interruption.signal.aborted) return EXIT.interrupted;
    throw error;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interruption.abort());
process.exitCode = await main(process.argv.slice(2));
