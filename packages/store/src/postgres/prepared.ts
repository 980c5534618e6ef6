import type { SqlExecutor, SqlResult } from '../executor.js';
import { isPreparedElsewhere } from './errors.js';

/** Runs one statement; with `prepare`, its connection keeps the statement as a prepared one. */
type RunStatement = (
  text: string,
  values: readonly unknown[],
  signal: AbortSignal | undefined,
  prepare: boolean,
) => Promise<SqlResult>;

/** Prepares statements until a pooler shows that a connection does not keep them. */
export function preparing(run: RunStatement): Required<Pick<SqlExecutor, 'execute' | 'prepared'>> {
  let canPrepare = true;
  const execute: SqlExecutor['execute'] = (text, values, signal) => run(text, values, signal, false);
  return {
    execute,
    async prepared(text, values, signal) {
      if (!canPrepare) return execute(text, values, signal);
      try {
        return await run(text, values, signal, true);
      } catch (error) {
        signal?.throwIfAborted();
        if (!isPreparedElsewhere(error)) throw error;
        canPrepare = false;
        return execute(text, values, signal);
      }
    },
  };
}
