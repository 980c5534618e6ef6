import type { Guarantees, Health } from '@ids/core';
import type { DescribedGenerator, WireGuarantees, WireHealth } from '@ids/http/wire';
import type { Limits } from './limits.js';
import type { ServedGenerator } from './served.js';

/** What clients may know of a generator, without I/O. */
export function describe(
  name: string,
  { generator, realm, lease }: ServedGenerator,
  { idsPerRequest, idsPerLease }: Limits,
): DescribedGenerator {
  return {
    name,
    strategy: generator.strategy,
    realm: realm ?? null,
    guarantees: wireGuarantees(generator.guarantees),
    health: wireHealth(generator.health()),
    maxIdsPerRequest: idsPerRequest,
    ...(lease !== undefined && { maxIdsPerLease: idsPerLease }),
  };
}

function wireGuarantees({ text, ...rest }: Guarantees): WireGuarantees {
  return { ...rest, text: { ...text, pattern: text.pattern.source } };
}

/** Without the messages of errors, which name backends. */
export function wireHealth({ status, remaining, secondsLeft, ...rest }: Health): WireHealth {
  const { exhaustedAt, lastError, lastRegression } = rest;
  return {
    status,
    ...(remaining !== undefined && { remaining }),
    ...(secondsLeft !== undefined && { secondsLeft }),
    ...(exhaustedAt !== undefined && { exhaustedAt: exhaustedAt.toISOString() }),
    ...(lastError !== undefined && { lastError: { code: lastError.code, at: lastError.at.toISOString() } }),
    ...(lastRegression !== undefined && { lastRegression: { at: lastRegression.at.toISOString() } }),
  };
}
