import type { SeedOutcome } from './play-seed.js';
import type { SeedRun } from './search.js';
import type { TraceLine } from './trace.js';

/** The maximum number of runs for one failure. */
const MOST_RUNS = 200;

/**
 * Removes faults of a failing seed as long as it fails in the same way (delta debugging): first halves, at
 * the end single ones. Resolves with the positions of the remaining faults. A run with fewer faults is a
 * different run, so this finds a smaller failure, not always the smallest.
 */
export async function minimise(failure: SeedOutcome, run: SeedRun): Promise<ReadonlySet<number>> {
  const [kind = ''] = Object.keys(failure.counts);
  let kept = failure.faultPositions;
  let runs = 0;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length && runs < MOST_RUNS; ) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)];
      runs++;
      const outcome = await run(failure.seed, { only: new Set(fewer) });
      if (outcome.counts[kind] === undefined) at += size;
      else kept = fewer;
    }
  }
  return new Set(kept);
}

const MOST_LINES = 80;

/** What a script did, as far as it matters here. The form of its reply shows which script ran. */
interface Step {
  readonly generation: string;
  /** Ranges that it issued or installed. */
  readonly ranges: readonly (readonly [low: number, high: number])[];
  readonly summary: string;
}

/**
 * What led to the first violation, line by line: the faults, and what each process did with the ids of the
 * violation and with their generations.
 */
export function storyOf({ problems, trace }: SeedOutcome): string[] {
  const [, key] = /\bkey (\S+?)[:,]/.exec(problems[0] ?? '') ?? [];
  const ids = new Set(
    [...(problems[0] ?? '').matchAll(/\b(?:id|got|above) (\d+)/g)].map(([, id]) => Number(id)),
  );
  return lastOf(key === undefined ? storyOfSequence(ids, trace) : storyOfKey(key, ids, trace));
}

/** The faults, and whatever names the key or its row, until its ids are issued for the last time. */
function storyOfKey(key: string, ids: ReadonlySet<number>, trace: readonly TraceLine[]): string[] {
  const end = trace.findLastIndex(({ what }) => what.startsWith(`${key} `) && mentions(what, ids));
  const names = [key, Buffer.from(key).toString('hex')];
  const named = new RegExp(`(?<![0-9a-z])(${names.join('|')})(?![0-9a-z])`);
  const until = end < 0 ? trace : trace.slice(0, end + 1);
  return until.filter(({ who, what }) => who === 'fault' || named.test(what)).map(lineOf);
}

function storyOfSequence(ids: ReadonlySet<number>, trace: readonly TraceLine[]): string[] {
  const covers = (ranges: Step['ranges']) =>
    ranges.some(([low, high]) => [...ids].some((id) => low <= id && id <= high));
  const seen = new Set<string>();
  const steps = trace.map((line) => stepOf(line, seen));
  const generations = new Set(
    steps.flatMap((step) => (step && covers(step.ranges) ? [step.generation] : [])),
  );
  const names = new Map(
    [...generations].map((generation, i) => [generation, `generation ${'GHIJKLMNOP'[i] ?? i}`]),
  );
  const lines: string[] = [];
  for (const [index, line] of trace.entries()) {
    const { who, what } = line;
    const step = steps[index];
    if (step !== undefined) {
      const beside = names.has(step.generation) && /begins|books/.test(step.summary);
      if (covers(step.ranges) || beside) {
        const summary = step.summary.replaceAll(
          step.generation,
          names.get(step.generation) ?? step.generation,
        );
        lines.push(lineOf({ ...line, what: summary }));
      }
    } else if (who === 'fault' || mentions(what, ids)) lines.push(lineOf(line));
  }
  return lines;
}

function lastOf(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines];
  return [`... ${lines.length - MOST_LINES} lines before`, ...lines.slice(-MOST_LINES)];
}

function lineOf({ atMs, who, what }: TraceLine): string {
  return `${atMs.toFixed(1).padStart(9)} ms  ${who.padEnd(11)}  ${what}`;
}

function mentions(what: string, ids: ReadonlySet<number>): boolean {
  const [, numbers] = /(?: got | reserves )(.*)/.exec(what) ?? [];
  if (numbers === undefined) return false;
  return [...numbers.matchAll(/(\d+)(?:\.\.(\d+))?/g)].some(([, low, high]) => {
    return [...ids].some((id) => Number(low) <= id && id <= Number(high ?? low));
  });
}

const TAKE = /^\S+ (-|reign|missing|back)( -?\d+){12}$/;
const INSTALL = /^(OK|VOID|LOW|FULL)$/;

/** `seen` holds the generations that occurred before. */
function stepOf({ command, what }: TraceLine, seen: Set<string>): Step | undefined {
  if (command === undefined) return undefined;
  const { args, reply } = command;
  const [node] = /^redis \w/.exec(what) ?? [''];
  if (typeof reply === 'string' && TAKE.test(reply)) {
    const [generation = '', voided = '-', , mark, , , fill, ...rest] = reply.split(' ');
    const [low1 = 0, count1 = 0, low2 = 0, count2 = 0, , offset = 0, owed = 0] = rest.map(Number);
    const ranges = rangesOf([low1, count1, low2, count2]);
    const begins = voided !== '-' || !seen.has(generation) || args.includes(generation);
    seen.add(generation);
    const did = [
      begins ? `begins ${generation}${voided === '-' ? '' : ` (${voided})`}` : `takes in ${generation}`,
      ...ranges.map(([low, high]) => `gets ${low}..${high}`),
      ...(owed > 0 ? [`books ${owed} at ${offset}`] : []),
      ...(fill === '1' ? [`is to fill above ${mark}`] : []),
    ];
    return { generation, ranges, summary: `${node}: ${did.join(', ')}` };
  }
  if (typeof reply === 'string' && INSTALL.test(reply)) {
    const [generation = '', , low, high] = args;
    const summary = `${node}: installs ${low}..${high} in ${generation}: ${reply}`;
    return { generation, ranges: [[Number(low), Number(high)]], summary };
  }
  if (Array.isArray(reply) && /^(OK|VOID|LOST)$/.test(String(reply[0]))) {
    const [generation = '', fill, offset, owed] = args;
    const ranges = rangesOf(reply.slice(7).map(Number));
    const got = ranges.map(([low, high]) => `${low}..${high}`).join(' ') || String(reply[0]);
    const summary = `${node}: collects ${owed} at ${offset} after fill ${fill} of ${generation}: ${got}`;
    return { generation, ranges, summary };
  }
  return { generation: '', ranges: [], summary: '' };
}

function rangesOf(flat: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const [low = 0, count = 0] = [flat[i], flat[i + 1]];
    if (count > 0) ranges.push([low, low + count - 1]);
  }
  return ranges;
}
