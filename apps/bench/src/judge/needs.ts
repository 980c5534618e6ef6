import { inspect } from 'node:util';
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
export const TYPE_NEEDS = ['number', 'bigint', 'uuid', 'string'] as const satisfies readonly Needs['type'][];

/** `rate: 2000, order: { cluster: 'real-time' }`, in the words of a config; empty without needs. */
export function needsText({ name: _name, ...needs }: ServiceNeeds): string {
  return inspect(needs, { breakLength: Number.POSITIVE_INFINITY }).slice(2, -2);
}
