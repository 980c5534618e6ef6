import type { SqlExecutor } from '@ids/store';
import type { PgPoolClientLike, PgPoolLike } from '@ids/store/postgres';

/**
 * A pool of `pg` for generators that accept nothing else. Its connections send each statement to `executor`;
 * to drop one cancels its statement.
 */
export function executorPool(executor: SqlExecutor): PgPoolLike {
  return {
    totalCount: 1,
    idleCount: 1,
    connect: (callback) => callback(undefined, clientOf(executor)),
  };
}

function clientOf(executor: SqlExecutor): PgPoolClientLike {
  const dropped = new AbortController();
  return {
    query: async (text, values) => {
      const { rows } = await executor.execute(
        typeof text === 'string' ? text : text.text,
        values,
        dropped.signal,
      );
      return { rows: [...rows] };
    },
    // Only a statement of the table of segments waits for a standby, and has notices.
    on: () => {},
    removeListener: () => {},
    release: (error) => {
      if (error) dropped.abort();
    },
  };
}
