import { PARTS, type Part, partsOf } from '../result/parts.js';
import type { Change, Comparison } from '../schema/advice.js';
import type { Estimate, Ratio } from '../schema/figures.js';
import type { BenchResult, RunResult } from '../schema/run.js';
import { times } from './words.js';

/**
 * Compares ratios instead of rates: when a machine is slower for a while, it is so for the controls too.
 * Runs on a busy machine, with different profiles, on different machines or releases of Node.js are not
 * compared.
 */
export function compareResults(before: BenchResult, after: BenchResult): Comparison {
  const [former, latter] = [partsOf(before), partsOf(after)];
  const both = PARTS.filter((part) => former[part] !== undefined && latter[part] !== undefined);
  const reasons = new Map(
    both.map((part) => [part, whyNot(former[part] as RunResult, latter[part] as RunResult)]),
  );
  const sound = both.filter((part) => reasons.get(part) === undefined);
  if (sound.length === 0) {
    const why = both.flatMap((part) => reasons.get(part) ?? []);
    const notComparable = why.length === 0 ? 'the two ran different commands' : why.join('; ');
    return { with: before.startedAt, notComparable, changes: [] };
  }
  const earlier = figuresOf(former, sound);
  const changes = [...figuresOf(latter, sound)].flatMap(([key, { what, control, value }]): Change[] => {
    const old = earlier.get(key)?.value;
    return old === undefined
      ? []
      : [{ what, control, before: old, after: value, verdict: verdictOf(old, value) }];
  });
  return { with: before.startedAt, changes };
}

function whyNot(before: RunResult, after: RunResult): string | undefined {
  const runs = [
    ['the earlier run', before],
    ['this run', after],
  ] as const;
  for (const [name, { notComparable, incomplete, profile }] of runs) {
    if (incomplete) return `${name} was stopped`;
    if (notComparable !== undefined) return `${name} was on a busy machine: ${notComparable}`;
    if (profile.name === 'smoke') return `${name} was a smoke run, whose figures mean nothing`;
  }
  if (before.profile.name !== after.profile.name)
    return `the earlier run was --${before.profile.name}, this one --${after.profile.name}`;
  const [earlier, now] = [before, after].map(({ environment: { node, cores, cpu } }) => {
    return `Node.js ${node} with ${cores} cores of ${cpu}`;
  });
  return earlier === now ? undefined : `the earlier run was on ${earlier}, this one on ${now}`;
}

function verdictOf(before: Estimate, after: Estimate): Change['verdict'] {
  if (after.low > before.high) return 'faster';
  return after.high < before.low ? 'slower' : 'tie';
}

type Parts = ReturnType<typeof partsOf>;

interface Figure {
  readonly what: string;
  readonly control: string;
  /** Higher is faster. */
  readonly value: Estimate;
}

function figuresOf(parts: Parts, of: readonly Part[]): Map<string, Figure> {
  const [cases = [], claims = []] = [
    of.includes('run') ? parts.run?.cases : [],
    of.includes('claims') ? parts.claims?.claims : [],
  ];
  // What failed in some block has too few of them for a verdict, and so has each ratio to it.
  const failed = cases.filter(({ status }) => status !== 'ok').map(({ name }) => name);
  const ofRatios = (what: string, ratios: readonly Ratio[] = []) =>
    ratios
      .filter(({ control }) => !failed.includes(control))
      .map(({ control, median, low, high }) => ({ what, control, value: { median, low, high } }));
  const sound = cases.filter(({ name }) => !failed.includes(name));
  const ofCases = sound.flatMap(({ name, sync, loops = [] }) => [
    ...ofRatios(`${name}, in bursts`, sync?.ratios),
    ...ofRatios(`${name}, in bursts, as Map key`, sync?.ratiosAsMapKey),
    ...loops.flatMap(({ concurrency, batch, ratios }) =>
      ofRatios(`${name}, ${concurrency} callers${batch === 1 ? '' : `, batches of ${batch}`}`, ratios),
    ),
  ]);
  const ofClaims = claims.flatMap(({ id, control, direction, measured }): Figure[] => {
    if (control === undefined || measured === undefined) return [];
    const value = direction === 'at least' ? measured : inverse(measured);
    return [{ what: id, control: `${control.probe}: ${control.figure}`, value }];
  });
  return new Map([...ofCases, ...ofClaims].map((figure) => [`${figure.what} / ${figure.control}`, figure]));
}

/** Turns a cost into a speed. */
function inverse({ median, low, high }: Estimate): Estimate {
  return { median: 1 / median, low: 1 / high, high: 1 / low };
}

/**
 * `faster: objectid, in bursts vs bson ObjectId: 2.10x, was 1.80x` for each change, and the number of ties.
 */
export function comparisonLines({ changes, notComparable }: Comparison): string[] {
  if (notComparable !== undefined) return [`not comparable: ${notComparable}`];
  const changed = changes.filter(({ verdict }) => verdict !== 'tie');
  const ties = changes.length - changed.length;
  return [...changed.map(lineOf), `tie: ${ties} of ${changes.length} ratios, whose intervals touch`];
}

function lineOf({ verdict, what, control, before, after }: Change): string {
  return `${verdict}: ${what} vs ${control}: ${times(after.median)}x, was ${times(before.median)}x`;
}
