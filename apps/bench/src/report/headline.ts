import type { Ratio } from '../measure/statistics.js';
import type { OrderResult } from '../order/judge-order.js';
import { HEADLINE } from '../profile.js';
import type { CaseResult, LoopResult } from '../result.js';
import { count, nanoseconds, quantity, ratioText } from './format.js';

/** What the decision table says about a strategy. A cell that was not measured is empty. */
export interface Headline {
  readonly name: string;
  readonly idsPerSecond: string;
  readonly ratio: string;
  readonly control: string;
  /** Ids per second with each looked up in a Map. */
  readonly asMapKey: string;
  readonly p50: string;
  readonly p99: string;
  readonly order: string;
  readonly claimed: string;
  readonly duplicates: string;
  /** The most ids that are lost with a process or a store: what the strategy guarantees. */
  readonly lost: string;
  /** p99.9 of the open loop at 80 % of the capacity. */
  readonly tail: string;
  readonly id: string;
  readonly discloses: string;
}

/** A strategy without a backend is quoted in bursts, one with a backend in a closed loop of 16 callers. */
export function headlineOf(result: CaseResult): Headline {
  const { name, sync, guarantees, uniqueness, order, idType, maxLength } = result;
  const loop = headlineLoop(result);
  const quoted = guarantees?.backends.length === 0 ? sync : loop;
  const ratio = mainRatio(result, quoted?.ratios);
  return {
    name,
    idsPerSecond: quoted ? quantity(quoted.idsPerSecond.median) : '',
    ratio: ratio ? ratioText(ratio) : '',
    control: ratio?.control ?? '',
    asMapKey: sync ? quantity(1e9 / sync.nsAsMapKey.median) : '',
    p50: quoted ? nanoseconds(quoted.p50) : '',
    p99: quoted ? nanoseconds(quoted.p99) : '',
    order: order ? observedText(order) : '',
    claimed: guarantees ? claimedText(guarantees.order) : '',
    duplicates: uniqueness ? `${count(uniqueness.duplicates)} / ${count(uniqueness.ids)}` : '',
    lost: guarantees ? lostText(guarantees.maxIdsLost) : '',
    tail: tailText(result),
    id: idType === 'string' ? `string, up to ${maxLength}` : `${idType}, up to ${maxLength} digits`,
    discloses: guarantees?.discloses.join(', ') || 'nothing',
  };
}

export function headlineLoop({ loops }: CaseResult): LoopResult | undefined {
  return loops?.find(
    ({ concurrency, batch }) => concurrency === HEADLINE.concurrency && batch === HEADLINE.batch,
  );
}

/** The first control, or the next one that has figures. */
function mainRatio({ comparedWith }: CaseResult, ratios: readonly Ratio[] = []): Ratio | undefined {
  return comparedWith.flatMap((name) => ratios.filter(({ control }) => control === name))[0];
}

function lostText(maxIdsLost: number | undefined): string {
  if (maxIdsLost === undefined) return 'no bound';
  return maxIdsLost === 0 ? '0' : `≤ ${count(maxIdsLost)}`;
}

function tailText({ openLoops = [] }: CaseResult): string {
  const latency = openLoops.find(({ share }) => share === 0.8)?.latency.at(-1);
  return latency == null ? '-' : nanoseconds(latency);
}

export function observedText({ observed, skewMs, positions }: OrderResult): string {
  if (observed !== 'k-sorted') return observed;
  return `k-sorted: ${nanoseconds(skewMs * 1e6)}, ${count(positions)} places`;
}

function claimedText({ process, cluster, skewMs }: NonNullable<CaseResult['guarantees']>['order']): string {
  if (cluster === 'real-time') return 'real-time';
  const within = process === 'increasing' ? 'per process' : 'none';
  return cluster === 'k-sorted' ? `k-sorted: ${nanoseconds((skewMs ?? 0) * 1e6)}` : within;
}
