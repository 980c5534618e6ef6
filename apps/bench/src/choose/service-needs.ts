import type { Needs } from '@ids/config';

/** What a service needs of its ids, as far as it was said. */
export interface ServiceNeeds extends Needs {
  /** Of the generator in a config file. */
  readonly name?: string;
  /** Ids per second in one process. */
  readonly rate?: number;
  /** Strangers see the ids and must learn nothing from them. */
  readonly public?: boolean;
}

/** What `--order` accepts, from strongest to weakest. */
export const ORDER_NEEDS: Readonly<Record<string, NonNullable<Needs['order']>>> = {
  'real-time': { cluster: 'real-time' },
  'k-sorted': { cluster: 'k-sorted' },
  process: { process: 'increasing' },
  none: {},
};

/** What `--type` accepts: the column that ids go into. */
export const TYPE_NEEDS: Readonly<Record<string, NonNullable<Needs['type']>>> = {
  int64: 'number',
  text: 'string',
};

/** `2,000 ids/s; order across processes real-time`; empty when nothing is needed. */
export function needsText(needs: ServiceNeeds): string {
  const { unique, order, type, sync, offline, maxIdsLost, discloses, rate } = needs;
  return [
    rate !== undefined && `${rate.toLocaleString('en')} ids/s in one process`,
    unique !== undefined && `unique within the ${unique}`,
    order?.cluster !== undefined && `order across processes: ${order.cluster}`,
    order?.process !== undefined && `order within a process: ${order.process}`,
    type !== undefined && `type ${type}`,
    sync && 'synchronous calls',
    offline && 'ids without any backend',
    maxIdsLost !== undefined && `at most ${maxIdsLost.toLocaleString('en')} ids lost in a crash`,
    discloses !== undefined && `strangers learn at most ${discloses.join(' and ') || 'nothing'}`,
    needs.public && 'strangers learn nothing from an id',
  ]
    .filter(Boolean)
    .join('; ');
}
