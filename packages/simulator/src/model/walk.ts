/** One line of a walk: what happened, and numbers with names. */
export interface Line {
  readonly kind: string;
  readonly numbers: Readonly<Record<string, number>>;
}

const HASH_FIELDS = ['e', 'r', 'g', 'vl', 'vh', 'nl', 'nh', 'm', 'd', 'q', 'k'] as const;

/** A hash as the model has it. Ids are small numbers; 0 stands for none. */
export type ModelHash = Readonly<Record<(typeof HASH_FIELDS)[number], number>> & {
  /** The fills that the ring still has, as far as a claim may ask for them. */
  readonly entries: readonly { readonly number: number; readonly low: number; readonly high: number }[];
};

/** The state after a step. */
export interface ModelState {
  /** Of the two nodes, and of the snapshot on disk. */
  readonly hashes: readonly [ModelHash, ModelHash, ModelHash];
  readonly nodes: readonly [ModelNode, ModelNode];
  /**
   * How many faults may still happen. With the last one the model forgets what no longer matters:
   * replicas and the snapshot.
   */
  readonly faults: number;
}

interface ModelNode {
  readonly master: boolean;
  /** What the fence reads there. */
  readonly stamp: number;
}

/** What happened at once, and the state that it led to. */
export interface Step {
  readonly lines: readonly Line[];
  readonly after: ModelState;
}

export interface Walk {
  readonly steps: readonly Step[];
  /** The assertion of the model that ended the walk, if one did. */
  readonly violation: string | undefined;
}

/**
 * Reads what Spin printed of a simulation of the model with `TRACE`. A step that was cut
 * off at the end is left out.
 */
export function readWalks(output: string): Walk[] {
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

/** A line as the model wrote it; without one of its names an error, never a number that is not there. */
export function numberOf({ kind, numbers }: Line, name: string): number {
  const value = numbers[name];
  if (value === undefined) throw new Error(`the model's line "${kind}" has no number "${name}"`);
  return value;
}

function readLine(text: string): Line | undefined {
  // Spin's own word for a step that only waiting made possible.
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
