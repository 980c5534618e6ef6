import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MODEL } from './product.js';

/** One line of a walk: what happened, and named numbers. */
export interface Line {
  readonly kind: string;
  readonly numbers: Readonly<Record<string, number>>;
}

const HASH_FIELDS = ['e', 'r', 'g', 'vl', 'vh', 'nl', 'nh', 'm', 'd', 'q', 'k'] as const;

/** A hash of the model. Ids are small numbers; 0 means none. */
export type ModelHash = Readonly<Record<(typeof HASH_FIELDS)[number], number>> & {
  /** The fills that are still in the ring, as far as a claim may ask for them. */
  readonly entries: readonly { readonly number: number; readonly low: number; readonly high: number }[];
};

/** The state after a step. */
export interface ModelState {
  /** The hashes of the two nodes, and of the snapshot on disk. */
  readonly hashes: readonly [ModelHash, ModelHash, ModelHash];
  readonly nodes: readonly [ModelNode, ModelNode];
  /**
   * How many faults may still happen. With the last one, the model drops what no longer matters: replicas and
   * the snapshot.
   */
  readonly faults: number;
}

interface ModelNode {
  readonly master: boolean;
  /** What the fence reads on this node. */
  readonly stamp: number;
}

/** What happened in one step, and the state after it. */
export interface Step {
  readonly lines: readonly Line[];
  readonly after: ModelState;
}

export interface Walk {
  readonly steps: readonly Step[];
  /** The violated assertion of the model that ended the walk, if any. */
  readonly violation: string | undefined;
}

/** Parses what Spin printed of a simulation with `TRACE`. Omits an incomplete step at the end. */
function readWalks(output: string): Walk[] {
  const walks: Walk[] = [];
  let steps: Step[] = [];
  let lines: Line[] = [];
  for (const text of output.split('\n')) {
    const line = readLine(text);
    if (line?.kind === 'begin') {
      walks.push({ steps, violation: undefined });
      steps = [];
    } else if (line?.kind === 'end') {
      steps.push(stepOf(lines, line));
      lines = [];
    } else if (line !== undefined) lines.push(line);
  }
  return [...walks, { steps, violation: /assertion violated .*/.exec(output)?.[0] }];
}

/** The named number of a line; throws if the line has none of this name. */
export function numberOf({ kind, numbers }: Line, name: string): number {
  const value = numbers[name];
  if (value === undefined) throw new Error(`the model's line "${kind}" has no number "${name}"`);
  return value;
}

function readLine(text: string): Line | undefined {
  // `timeout` is Spin's word for a step that only waiting made possible.
  if (text === 'timeout' || !/^[a-zA-Z]+( \w+ -?\d+)*$/.test(text)) return undefined;
  const [kind = '', ...words] = text.split(' ');
  const numbers: Record<string, number> = {};
  for (let i = 0; i < words.length; i += 2) numbers[words[i] ?? ''] = Number(words[i + 1]);
  return { kind, numbers };
}

function stepOf(lines: readonly Line[], end: Line): Step {
  const isState = ({ kind }: Line) => kind === 'hash' || kind === 'entry';
  const state = lines.filter(isState);
  const node = (n: 0 | 1): ModelNode => ({
    master: numberOf(end, `master${n}`) === 1,
    stamp: numberOf(end, `stamp${n}`),
  });
  return {
    lines: lines.filter((line) => !isState(line)),
    after: {
      hashes: [hashOf(0, state), hashOf(1, state), hashOf(2, state)],
      nodes: [node(0), node(1)],
      faults: numberOf(end, 'faults'),
    },
  };
}

function hashOf(node: number, state: readonly Line[]): ModelHash {
  const lines = state.filter(({ numbers }) => numbers.node === node);
  const hash = lines.find(({ kind }) => kind === 'hash');
  if (hash === undefined) throw new Error(`the model printed no hash ${node}`);
  const fields = HASH_FIELDS.map((name) => [name, numberOf(hash, name)] as const);
  return {
    ...(Object.fromEntries(fields) as Omit<ModelHash, 'entries'>),
    entries: lines
      .filter(({ kind }) => kind === 'entry')
      .map((line) => ({
        number: numberOf(line, 'number'),
        low: numberOf(line, 'low'),
        high: numberOf(line, 'high'),
      })),
  };
}

const execFileAsync = promisify(execFile);

/** Statements of one simulation: about fifty walks, in a few tenths of a second. */
const STATEMENTS = 200_000;

/** Definitions for the model, as in `variants.mjs` next to it: bounds, and guards that are off. */
export type Defines = Readonly<Record<string, number | string>>;

/** The missing programs and how to install them; undefined if none is missing. */
export async function missingTools(): Promise<string | undefined> {
  const isInstalled = (command: string, option: string) =>
    execFileAsync(command, [option]).then(
      () => true,
      () => false,
    );
  // Spin uses the preprocessor of gcc.
  const missing = [];
  if (!(await isInstalled('spin', '-V'))) missing.push('spin');
  if (!(await isInstalled('gcc', '--version'))) missing.push('gcc');
  if (missing.length === 0) return undefined;
  const packages = missing.join(' ');
  return `not installed: ${missing.join(', ')}. Install with: sudo apt-get install -y ${packages} (macOS: brew install ${packages})`;
}

/** The command that generates walks. */
export function walksCommand(seed: number, defines: Defines): readonly string[] {
  const flags = Object.entries(defines).map(([key, value]) =>
    value === '' ? `-D${key}` : `-D${key}=${value}`,
  );
  return ['spin', '-T', `-n${seed}`, `-u${STATEMENTS}`, '-DTRACE', ...flags, MODEL];
}

/** Random walks through the model, the same for the same seed and definitions. */
export async function randomWalks(seed: number, defines: Defines): Promise<Walk[]> {
  const [program = '', ...args] = walksCommand(seed, defines);
  // A violated assertion ends a simulation with a non-zero exit code, as an unreadable model does.
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
