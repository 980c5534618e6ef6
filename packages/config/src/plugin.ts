// For authors of plugins of frameworks. Services use the main entry.
import { IdError, type IdGenerator, type IdStrategy } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import type { IdsConfig } from './ids-config.js';
import { type OpenIdsOptions, openIds } from './open-ids.js';
import type { OpenedIds } from './opened-ids.js';

/** The open generators of a service, of any config. */
export type ServiceIds = OpenedIds<Readonly<Record<string, IdGenerator>>>;

/** What a plugin gets: what to open, as for `openIds`, or what the caller opened, and will close. */
export type IdsOrOptions =
  | (OpenIdsOptions<IdStrategy, IdsConfig> & { readonly ids?: undefined })
  | { readonly ids: ServiceIds; readonly strategies?: undefined };

export interface HeldIds {
  readonly ids: ServiceIds;
  /** Closes what was opened for the plugin, and nothing that the caller opened. Idempotent. */
  release(): Promise<void>;
}

/**
 * Opens what `options` describe, or takes `ids` from them. Rejects like `openIds`, and with `ERR_IDS_CONFIG`
 * if `options` have not exactly one of `strategies` and `ids`. `plugin`: its name, for that message.
 */
export async function openOrTake(plugin: string, options: IdsOrOptions): Promise<HeldIds> {
  const problem = problemOf(options);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', `${plugin}: ${problem}`);
  if (options.ids !== undefined) return { ids: options.ids, release: async () => {} };
  const ids = await openIds(options);
  return { ids, release: () => ids.close() };
}

/** How a service answers an HTTP request that got no id. */
export interface HttpRefusal {
  /** 503 if the same call may succeed later, otherwise 500. */
  readonly status: 500 | 503;
  /** For the client. Names no backend: the log gets the error. */
  readonly message: string;
  /** Of a 503, the header `Retry-After`: backends that fail over take about as many seconds. */
  readonly retryAfter?: string;
}

export function httpRefusalOf({ retryable }: IdError): HttpRefusal {
  if (!retryable) return { status: 500, message: 'no id can be issued' };
  return { status: 503, message: 'no id can be issued now', retryAfter: '2' };
}

/** The types are for callers in TypeScript; these are the mistakes of all others. */
function problemOf(options: unknown): string | undefined {
  const { ids, strategies } = (options ?? {}) as Readonly<Record<string, unknown>>;
  if (ids === undefined && strategies === undefined)
    return 'set "strategies", a list such as [objectid], or "ids", which openIds returned: got neither';
  if (ids !== undefined && strategies !== undefined)
    return 'set "strategies", or "ids", which openIds returned: got both';
  if (strategies !== undefined)
    return Array.isArray(strategies)
      ? undefined
      : `strategies: must be a list such as [objectid], got ${formatValue(strategies)}`;
  const { get, keyed } = Object(ids) as Partial<ServiceIds>;
  if (typeof get === 'function' && typeof keyed === 'function') return undefined;
  return `ids: must be what openIds returned, awaited, got ${formatValue(ids)}`;
}
