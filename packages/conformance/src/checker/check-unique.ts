import { compareIds } from './compare-ids.js';
import { type Clock, describeIssue, type Findings } from './findings.js';
import type { IssueOrder } from './issue-order.js';

/** Sorts instead of collecting a `Set`, which cannot hold more than 16,777,216 entries. */
export function checkUnique(order: IssueOrder, findings: Findings, clock: Clock): void {
  const { ids } = order;
  const sorted = ids.map((_, index) => index);
  // A sort is stable: equal ids stay in issue order.
  sorted.sort((a, b) => compareIds(idAt(a), idAt(b)));
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
