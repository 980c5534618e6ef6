import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MODEL } from './product.js';
import { readWalks, type Walk } from './walk.js';

const execFileAsync = promisify(execFile);

/** Statements of one simulation: about fifty walks, a few tenths of a second. */
const STATEMENTS = 200_000;

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

/** The command that makes walks. */
export function walksCommand(seed: number, defines: Defines): readonly string[] {
  const flags = Object.entries(defines).map(([key, value]) =>
    value === '' ? `-D${key}` : `-D${key}=${value}`,
  );
  return ['spin', '-T', `-n${seed}`, `-u${STATEMENTS}`, '-DTRACE', ...flags, MODEL];
}

/** Random walks through the model, the same ones for the same seed and definitions. */
export async function randomWalks(seed: number, defines: Defines): Promise<Walk[]> {
  const [program = '', ...args] = walksCommand(seed, defines);
  // An assertion that is violated ends a simulation with another exit code than 0, as a model
  // that cannot be read does.
  const output = await execFileAsync(program, args, { maxBuffer: 2 ** 26 }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; message: string }) => {
      if (error.stdout?.includes('assertion violated')) return error.stdout;
      throw new Error(`${error.message}\n${error.stdout ?? ''}`);
    },
  );
  const walks = readWalks(output);
  if (walks[0]?.steps.length === 0)
    throw new Error(`${program} ${args.join(' ')} printed no step:\n${output}`);
  return walks;
}
