import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MODEL } from './product.js';
import { readWalk, type Walk } from './walk.js';

const execFileAsync = promisify(execFile);

/** Statements of one simulation. Most walks end before: nobody has anything to do any more. */
const MOST_STATEMENTS = 10_000;

/** Definitions for the model, as in `variants.mjs` beside it: bounds, and guards that are off. */
export type Defines = Readonly<Record<string, number | string>>;

/** Undefined, or the programs that are missing and how to install them. */
export async function missingTools(): Promise<string | undefined> {
  const isInstalled = (command: string, option: string) =>
    execFileAsync(command, [option]).then(
      () => true,
      () => false,
    );
  // Spin runs the preprocessor of gcc.
  const missing = [];
  if (!(await isInstalled('spin', '-V'))) missing.push('spin');
  if (!(await isInstalled('gcc', '--version'))) missing.push('gcc');
  if (missing.length === 0) return undefined;
  const packages = missing.join(' ');
  return `not installed: ${missing.join(', ')}. Install with: sudo apt-get install -y ${packages} (macOS: brew install ${packages})`;
}

/** The command that makes a walk. */
export function walkCommand(seed: number, defines: Defines): readonly string[] {
  const flags = Object.entries(defines).map(([key, value]) =>
    value === '' ? `-D${key}` : `-D${key}=${value}`,
  );
  return ['spin', '-T', `-n${seed}`, `-u${MOST_STATEMENTS}`, '-DTRACE', ...flags, MODEL];
}

/** One random walk through the model. */
export async function randomWalk(seed: number, defines: Defines): Promise<Walk> {
  const [program = '', ...args] = walkCommand(seed, defines);
  // A walk that an assertion ended has another exit code than 0; so has one that could not begin.
  const output = await execFileAsync(program, args, { maxBuffer: 2 ** 26 }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; message: string }) => {
      if (error.stdout?.includes('assertion violated')) return error.stdout;
      throw new Error(`${error.message}\n${error.stdout ?? ''}`);
    },
  );
  const walk = readWalk(output);
  if (walk.steps.length === 0) throw new Error(`${program} ${args.join(' ')} printed no step:\n${output}`);
  return walk;
}
