import type { Claim, ProbeCase } from './claim.js';
import { gpidClaims } from './gpid.js';
import { objectidClaims } from './objectid.js';
import { segmentInprocClaims } from './segment-inproc.js';
import { segmentRedisDbClaims } from './segment-redis-db.js';

const packages = [objectidClaims, segmentInprocClaims, segmentRedisDbClaims, gpidClaims];

export interface ClaimList {
  /** Workers get the probes by importing this module, which exports them as `probes`. */
  readonly url: string;
  readonly claims: readonly Claim[];
  readonly probes: readonly ProbeCase[];
}

const claims: readonly Claim[] = packages.flatMap((one) => one.claims);

/** Several packages may compare themselves with the same thing, which is then measured once. */
export const probes: readonly ProbeCase[] = [
  ...new Map(packages.flatMap((one) => one.probes).map((probe) => [probe.name, probe])).values(),
];

/** Every claim about speed of every package of this workspace. */
export const claimList: ClaimList = { url: import.meta.url, claims, probes };
