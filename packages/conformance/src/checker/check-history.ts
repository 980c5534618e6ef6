import { AssertionError } from 'node:assert';
import { type CompareIds, naturalOrder } from '@ids/core/order';
import type { History, HistoryRecord } from '../history.js';
import { checkFifo, checkRealTime, type OrderCheck } from './check-order.js';
import {
  type Clock,
  clockSince,
  describeCall,
  describeIssue,
  Findings,
  type HistoryLevel,
  type IssueOrder,
  issueOrder,
} from './findings.js';

export interface HistoryChecks {
  readonly levels: readonly HistoryLevel[];
  /** For `k-sorted`, in milliseconds: calls closer together than this may get ids in any order. */
  readonly skewMs?: number;
  /**
   * The order of ids; by default numbers by value and strings by code unit. Ids are equal only if `===` says
   * so.
   */
  readonly compare?: CompareIds;
}

export interface HistoryVerdict {
  readonly ok: boolean;
  /** How many ids were checked: a check of no ids finds nothing. */
  readonly ids: number;
  readonly counts: Readonly<Record<HistoryLevel, number>>;
  /**
   * One sentence for each of the first violations of each level: the process, the call, the time and the
   * neighbouring ids.
   */
  readonly messages: readonly string[];
}

/**
 * Checks a whole history exactly, in O(n log n). Ids must be of one type, else a `TypeError`; failed calls
 * issued no ids and violate nothing.
 */
export function checkHistory(history: History, checks: HistoryChecks): HistoryVerdict {
  const { levels, compare = naturalOrder } = checks;
  const findings = new Findings();
  const order = issueOrder(history.records);
  assertOneType(order);
  const starts = [history.records, history.failures, history.unsettled].flat().map(({ invoke }) => invoke);
  const clock = clockSince(starts.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY));
  const check: OrderCheck = { compare, findings, clock };

  for (const call of history.unsettled) {
    findings.add('settled', () => `${describeCall(call, clock)} neither resolved nor rejected`);
  }
  if (levels.includes('unique')) checkUnique(order, findings, clock);
  for (const own of byProcess(order.records)) {
    if (levels.includes('fifo')) checkFifo(own, 'fifo', check);
    if (levels.includes('increasing')) {
      for (const record of own) checkFifo([record], 'increasing', check);
      checkRealTime(own, 'increasing', 0, check);
    }
  }
  if (levels.includes('real-time')) checkRealTime(order.records, 'real-time', 0, check);
  if (levels.includes('k-sorted')) {
    checkRealTime(order.records, 'k-sorted', requireSkew(checks) * 1e6, check);
  }
  const { counts, messages } = findings;
  const ok = Object.values(counts).every((count) => count === 0);
  return { ok, ids: order.ids.length, counts, messages };
}

/** Throws an `AssertionError` with the messages of the verdict if the history violates a level. */
export function assertHistory(history: History, checks: HistoryChecks): void {
  const { ok, counts, messages } = checkHistory(history, checks);
  if (ok) return;
  const totals = Object.entries(counts).filter(([, count]) => count > 0);
  const summary = totals.map(([level, count]) => `${count} x ${level}`).join(', ');
  throw new AssertionError({ message: `the history is violated (${summary})\n${messages.join('\n')}` });
}

function byProcess(records: readonly HistoryRecord[]): HistoryRecord[][] {
  const processes = new Map<number, HistoryRecord[]>();
  for (const record of records) {
    const own = processes.get(record.process);
    if (own === undefined) processes.set(record.process, [record]);
    else own.push(record);
  }
  return [...processes.values()];
}

function requireSkew({ skewMs }: HistoryChecks): number {
  if (skewMs === undefined || !(skewMs >= 0)) {
    throw new TypeError(`level k-sorted needs skewMs, milliseconds from 0, got ${skewMs}`);
  }
  return skewMs;
}

function assertOneType({ ids }: IssueOrder): void {
  const types = new Set(ids.map((id) => typeof id));
  if (types.size > 1)
    throw new TypeError(`the ids of a history must be of one type, got ${[...types].join(' and ')}`);
}

/** Sorts instead of using a `Set`, which cannot hold more than 16,777,216 entries. */
function checkUnique(order: IssueOrder, findings: Findings, clock: Clock): void {
  const { ids } = order;
  const sorted = ids.map((_, index) => index);
  // The sort is stable: equal ids stay in issue order.
  sorted.sort((a, b) => naturalOrder(idAt(a), idAt(b)));
  for (let i = 1; i < sorted.length; i++) {
    const [first, second] = [sorted[i - 1] ?? 0, sorted[i] ?? 0];
    if (idAt(first) !== idAt(second)) continue;
    findings.add('unique', () => {
      const issuers = [first, second].map((index) => describeIssue(order, index, clock));
      return `id ${ids[first]} given twice: ${issuers.join('; and ')}`;
    });
  }

  function idAt(index: number) {
    return ids[index] ?? 0;
  }
}
