import type { StatedClaim } from './claim.js';
import { gpidClaims } from './gpid.js';
import { objectidClaims } from './objectid.js';
import type { ProbeCase } from './probes/probe.js';
import type { Claim } from './results.js';
import { segmentInprocClaims } from './segment-inproc.js';
import { segmentRedisDbClaims } from './segment-redis-db.js';
import { snowflakeClaims } from './snowflake.js';
import { uuid7Claims } from './uuid7.js';

export interface ClaimList {
  /** Workers import this module, which exports the probes as `probes`. */
  readonly url: string;
  readonly claims: readonly Claim[];
  readonly probes: readonly ProbeCase[];
}

/** In the order of the pages that state them. */
export const stated: readonly StatedClaim[] = [
  ...objectidClaims,
  ...segmentInprocClaims,
  ...segmentRedisDbClaims,
  ...gpidClaims,
  ...snowflakeClaims,
  ...uuid7Claims,
];

/** Several claims may need the same probe, which is measured once. */
export const probes: readonly ProbeCase[] = [
  ...new Map(stated.flatMap((one) => one.probes).map((probe) => [probe.name, probe])).values(),
];

/** Every claim about speed of every package in this workspace. */
export const claimList: ClaimList = {
  url: import.meta.url,
  claims: stated.map(({ claim }) => claim),
  probes,
};
