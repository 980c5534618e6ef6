import type { Mapping } from './compare-state.js';
import type { Claim, FillLease, Range, Take } from './product.js';
import { type Line, type ModelHash, type ModelState, numberOf, type Step } from './walk.js';

/** The number of remaining ids at which a fill is due, in the model. */
export const LOW_WATER = 1;

/** The position of a command in a walk. */
export interface Position {
  /** Of the step, from 0 on. */
  readonly number: number;
  readonly step: Step;
  /** The state before the step; undefined at the first one. */
  readonly before: ModelState | undefined;
}

type TakeOutcome = Omit<Take, 'ranges' | 'reigns'> & { readonly ids: readonly number[] };
type ClaimOutcome = Omit<Claim, 'ranges' | 'reigns'> & { readonly ids?: readonly number[] };

/** The outcome of a take in the model. */
export function takeInModel(take: Line, { step, before }: Position, mapping: Mapping): TakeOutcome {
  const node = numberOf(take, 'node');
  const took = lineOf(step, 'took');
  const booked = lineIn(step, 'booked');
  const generation = mapping.generations.of(hashAt(step.after, node).g);
  const mark = mapping.id(numberOf(took, 'm'));
  const booking = booked && {
    generation,
    fill: numberOf(booked, 'q'),
    offset: numberOf(booked, 'offset'),
    owed: numberOf(booked, 'owed'),
  };
  return {
    ids: idsOf(numberOf(took, 'ids'), mapping),
    highWaterMark: mark,
    left: numberOf(took, 'left'),
    booking: booking ?? (numberOf(took, 'missing') > 0 ? 'full' : undefined),
    lease: leaseIn(step, generation, mark, numberOf(took, 'd')),
    voided: numberOf(took, 'began') > 0 ? voidedInModel(take, before, node) : undefined,
  };
}

/** The outcome of a claim in the model. */
export function claimInModel(claim: Line, { step }: Position, mapping: Mapping): ClaimOutcome {
  if (lineIn(step, 'void') !== undefined) return { verdict: 'VOID' };
  const claimed = lineOf(step, 'claimed');
  if (numberOf(claimed, 'gone') === 1) return { verdict: 'LOST' };
  const generation = mapping.generations.of(numberOf(claim, 'generation'));
  const mark = mapping.id(numberOf(claimed, 'm'));
  const owed = numberOf(claimed, 'owed');
  const booking = {
    generation,
    fill: numberOf(claimed, 'q'),
    offset: numberOf(claimed, 'offset'),
    owed,
  };
  const { d } = hashAt(step.after, numberOf(claim, 'node'));
  return {
    verdict: 'OK',
    ids: idsOf(numberOf(claimed, 'ids'), mapping),
    highWaterMark: mark,
    booking: owed > 0 ? booking : undefined,
    lease: leaseIn(step, generation, mark, d),
  };
}

/** The reply to an install in the model. */
export function installInModel({ step }: Position): string {
  if (lineIn(step, 'void') !== undefined) return 'VOID';
  if (lineIn(step, 'low') !== undefined) return 'LOW';
  return lineIn(step, 'installed') === undefined ? 'FULL' : 'OK';
}

/** Whether the step grants the fill lease. */
export function grants(step: Step): boolean {
  return lineIn(step, 'lease') !== undefined;
}

/** The ids of some ranges. */
export function idsIn(ranges: readonly Range[]): number[] {
  return ranges.flatMap(({ low, count }) => Array.from({ length: count }, (_, i) => low + i));
}

function lineIn(step: Step, kind: string): Line | undefined {
  return step.lines.find((line) => line.kind === kind);
}

function lineOf(step: Step, kind: string): Line {
  const line = lineIn(step, kind);
  if (line === undefined) throw new Error(`the model printed no line "${kind}" in this step`);
  return line;
}

/** The ids of a set, which the model represents as the bits of a number. */
function idsOf(set: number, { id }: Mapping): number[] {
  return Array.from({ length: 16 }, (_, small) => small)
    .filter((small) => (set & (1 << small)) !== 0)
    .map(id);
}

function leaseIn(step: Step, generation: string, floor: number, debt: number): FillLease | undefined {
  return grants(step) ? { generation, floor, debt, room: LOW_WATER } : undefined;
}

/** Why the take began a generation: the model does not say, but the state that the take found shows it. */
function voidedInModel(take: Line, before: ModelState | undefined, node: number): Take['voided'] {
  const hash = before?.hashes[node];
  if (hash === undefined || hash.e === 0) {
    return numberOf(take, 'top') > 0 ? { reason: 'missing', dropped: 0 } : undefined;
  }
  const reason = hash.e === before?.nodes[node]?.stamp ? 'back' : 'reign';
  return { reason, dropped: lengthOf(hash.vl, hash.vh) + lengthOf(hash.nl, hash.nh) };
}

function lengthOf(low: number, high: number): number {
  return low === 0 ? 0 : high - low + 1;
}

function hashAt({ hashes }: ModelState, node: number): ModelHash {
  const hash = hashes[node];
  if (hash === undefined) throw new RangeError(`the model names node ${node}: 0 and 1 are there`);
  return hash;
}
