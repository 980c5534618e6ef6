import type { ConformanceSubject } from '@ids/conformance';
import { createIds, type Id } from '@ids/core';
import { uniqueName } from '@ids/local-services';
import type { SqlDialect } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-setup';
import { inject } from 'vitest';
import {
  createSnowflakeGenerator,
  layoutOf,
  parseSnowflake,
  type SnowflakeOptions,
  snowflake,
} from '../../src/index.js';
import { createContext } from './subject.js';

const ids = createIds([snowflake]);
const module = new URL('./subject.ts', import.meta.url);
const compare = (a: Id, b: Id): number => Number(BigInt(a) - BigInt(b));

/** Numbers left out within one unit of time: when the next unit begins is up to the clock. */
function skippedIn(layout: NonNullable<SnowflakeOptions['layout']>) {
  return (before: Id, id: Id): bigint => {
    const [first, second] = [parseSnowflake(before, layoutOf(layout)), parseSnowflake(id, layoutOf(layout))];
    const sameStamp = first.ms === second.ms && first.slot === second.slot;
    return BigInt(sameStamp ? second.sequence - first.sequence - 1 : second.sequence);
  };
}

type Variant = SnowflakeOptions & { readonly layout: NonNullable<SnowflakeOptions['layout']> };

/** A subject of the conformance kit with slots on the shared Postgres, or in a database of another kind. */
export function withSlots(
  options: Variant,
  kind?: Pick<SqlDialect, 'server' | 'shared'>,
): ConformanceSubject {
  const database = inject('databaseUrl');
  // The wait at the start has tests of its own.
  const given = { ...options, name: 'order', database, startup: 'at-once' } as const;
  const { layout } = options;
  return {
    name: `snowflake ${JSON.stringify(options)}${kind === undefined ? '' : ` on ${kind.server}`}`,
    module,
    guarantees: ids.plan({ strategy: 'snowflake', ...given }).guarantees,
    compare,
    skipped: skippedIn(layout),
    fresh: async () => ({
      ...given,
      ...(await createContext((await kind?.shared()) ?? database, uniqueName('snowflake'), { layout })),
    }),
  };
}

/** A subject with a fixed worker. */
export function withWorker(options: Variant & { readonly worker: number }): ConformanceSubject {
  return {
    name: `snowflake ${JSON.stringify(options)}`,
    module,
    guarantees: ids.plan({ strategy: 'snowflake', ...options }).guarantees,
    compare,
    skipped: skippedIn(options.layout),
    fresh: async () => {
      // As a service does: the main thread first, then its worker threads.
      await createSnowflakeGenerator(options);
      return options;
    },
  };
}
