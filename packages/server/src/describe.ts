import type { Guarantees, Health } from '@ids/core';
import type { DescribedGenerator, WireGuarantees, WireHealth } from '@ids/http/wire';
import type { Visitor } from './access.js';
import type { Limits } from './limits.js';
import type { ServedGenerator } from './served.js';

/**
 * What clients may know of a generator, without I/O. Clients split what they want by the limits in it, so
 * these are never more than the quota of the client.
 */
export function describe(
  name: string,
  { generator, realm, lease }: ServedGenerator,
  { idsPerRequest, idsPerLease }: Limits,
  { mostAtOnce }: Visitor,
): DescribedGenerator {
  return {
    name,
    strategy: generator.strategy,
    realm: realm ?? null,
    guarantees: wireGuarantees(generator.guarantees),
    health: wireHealth(generator.health()),
    maxIdsPerRequest: Math.min(idsPerRequest, mostAtOnce),
    ...(lease !== undefined && { maxIdsPerLease: Math.min(idsPerLease, mostAtOnce) }),
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
