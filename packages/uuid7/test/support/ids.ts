import { Uuid7Issuer } from '../../src/issuer.js';
import { parseUuid7 } from '../../src/parse.js';

/** 2026-01-01T00:00:00Z */
export const MS = 1_767_225_600_000;
/** Values of the counter. */
export const ROOM = 2 ** 42;

/** An issuer on a clock that stands still until it is set. Its first id has `counter`, at `MS + lead`. */
export function issuerAt({ counter = 0, lead = 0 } = {}) {
  const clock = { ms: MS };
  const issuer = new Uuid7Issuer({ ms: MS + lead, counter });
  return {
    clock,
    reset: () => issuer.reset(),
    issue: () => issuer.issue(clock.ms),
    issueBytes: () => issuer.issueBytes(clock.ms),
    issueBatch: (count: number) => issuer.issueBatch(count, () => clock.ms),
  };
}

export function msOf(id: string): number {
  return parseUuid7(id).ms;
}

export function counterOf(id: string): number {
  return parseUuid7(id).counter;
}

/** The index of the first id that does not lie above the one before it; -1 if all rise. */
export function firstNotRising(ids: readonly string[], before = ''): number {
  return ids.findIndex((id, index) => id <= (ids[index - 1] ?? before));
}
