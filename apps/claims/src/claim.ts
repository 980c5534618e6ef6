import type { ProbeCase } from './probes/probe.js';
import type { Claim } from './results.js';

/** A claim with the probes that measure it. */
export interface StatedClaim {
  readonly claim: Claim;
  readonly probes: readonly ProbeCase[];
  /** Where it stands in a table of what is done with each id: what is compared, and what is done. */
  readonly use?: { readonly row: string; readonly column: string };
}

/** A figure of a probe, by name. */
export type Figure = readonly [ProbeCase, string];

export interface PackageClaims {
  /** `own` is at least `times` as fast as `control`. */
  faster(what: string, times: number, own: Figure, control: Figure, text: string): StatedClaim;
  /** `own` takes at most `times` as long as `control`. */
  atMostTimes(what: string, times: number, own: Figure, control: Figure, text: string): StatedClaim;
  /** `own` itself is at most `threshold`. */
  atMost(what: string, threshold: number, own: Figure, text: string): StatedClaim;
  /** `own` is 0 in every block. */
  never(what: string, own: Figure, text: string): StatedClaim;
}

/** Claims of the README of one package; `name` is its folder. */
export function claimsOf(name: string): PackageClaims {
  function state(
    [what, threshold, text]: readonly [string, number, string],
    direction: Claim['direction'],
    [own, figure]: Figure,
    control?: Figure,
  ): StatedClaim {
    const claim = {
      id: `${name}/${what}`,
      package: name,
      text,
      case: { probe: own.name, figure },
      ...(control && { control: { probe: control[0].name, figure: control[1] } }),
      direction,
      threshold,
    };
    return { claim, probes: control ? [own, control[0]] : [own] };
  }
  return {
    faster: (what, times, own, control, text) => state([what, times, text], 'at least', own, control),
    atMostTimes: (what, times, own, control, text) => state([what, times, text], 'at most', own, control),
    atMost: (what, threshold, own, text) => state([what, threshold, text], 'at most', own),
    never(what, own, text) {
      const { claim, probes } = state([what, 0, text], 'at most', own);
      return { claim: { ...claim, always: true }, probes };
    },
  };
}
