import type { Needs } from '@ids/config';
import type { ServiceNeeds } from '../schema/advice.js';

/** What `--order` accepts, strongest first: the words of a config, for `order.cluster` or `order.process`. */
export const ORDER_NEEDS: Readonly<
  Record<'real-time' | 'k-sorted' | 'increasing' | 'none', NonNullable<Needs['order']>>
> = {
  'real-time': { cluster: 'real-time' },
  'k-sorted': { cluster: 'k-sorted' },
  increasing: { process: 'increasing' },
  none: {},
};

/** What `--type` accepts: the words of a config. */
export const TYPE_NEEDS: Readonly<Record<NonNullable<Needs['type']>, NonNullable<Needs['type']>>> = {
  number: 'number',
  bigint: 'bigint',
  uuid: 'uuid',
  string: 'string',
};

/** `2,000 ids/s; order across processes real-time`; empty without needs. */
export function needsText(needs: ServiceNeeds): string {
  const { unique, order, type, sync, offline, maxIdsLost, discloses, reveals, rate } = needs;
  const { maxLength, p99Ms } = needs;
  return [
    rate !== undefined && `${rate.toLocaleString('en')} ids/s in one process`,
    p99Ms !== undefined && `p99 at most ${p99Ms.toLocaleString('en')} ms`,
    unique !== undefined && `unique within the ${unique}`,
    order?.cluster !== undefined && `order across processes: ${order.cluster}`,
    order?.process !== undefined && `order within a process: ${order.process}`,
    type !== undefined && `type ${type}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    sync && 'synchronous calls',
    offline && 'ids without any backend',
    maxIdsLost !== undefined && `at most ${maxIdsLost.toLocaleString('en')} ids lost in a crash`,
    discloses !== undefined &&
      (discloses.length === 0
        ? 'outsiders learn nothing from an id'
        : `outsiders learn at most ${discloses.join(' and ')}`),
    reveals !== undefined && `ids reveal ${reveals.join(' and ')}`,
    needs.public && 'outsiders learn nothing from an id',
  ]
    .filter(Boolean)
    .join('; ');
}
