import type { CaseResult } from '../result.js';
import { nanoseconds, quantity } from './format.js';
import { headlineLoop } from './headline.js';

const BACKEND = { redis: 'Redis', sql: 'a SQL database' };

/**
 * What a team that picks this strategy gives up, in a sentence or two; from its
 * guarantees and this run's figures.
 */
export function whatItCosts(result: CaseResult): string {
  const { name, guarantees, status, reason, maxIdsPerSecond } = result;
  if (status === 'skipped') return `${name}: skipped, because ${reason}`;
  if (status === 'failed' || status === 'invalid') return `${name}: ${status}, see below.`;
  if (guarantees === undefined) return '';
  const { backends, order, gaps, discloses, sync, unique } = guarantees;
  const loop = headlineLoop(result);
  const costs = [
    backends.length > 0 && `needs ${backends.map((backend) => BACKEND[backend]).join(' and ')}`,
    !sync && loop && `a wait of about ${nanoseconds(loop.p50)} per id (16 callers) and no synchronous call`,
    !sync && !loop && 'no synchronous call',
    unique === 'process' && 'unique within one process only',
    orderCost(order),
    maxIdsPerSecond && `at most ${quantity(maxIdsPerSecond)} ids/s per process`,
    gaps !== 'never' && `numbers go missing ${gaps.replace('-', ' a ').replace('on a', 'after a')}`,
    discloses.length > 0 && `a stranger learns ${discloses.join(', ')}`,
  ].filter((cost) => typeof cost === 'string');
  return `${name}: ${costs.join('; ')}.`;
}

function orderCost({
  process,
  cluster,
  skewMs,
}: NonNullable<CaseResult['guarantees']>['order']): string | false {
  if (cluster === 'real-time') return false;
  if (cluster === 'k-sorted') return `no order among ids less than ${nanoseconds((skewMs ?? 0) * 1e6)} apart`;
  return process === 'increasing' ? 'no order across processes' : 'no order at all';
}
