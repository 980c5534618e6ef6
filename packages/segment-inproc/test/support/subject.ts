import type { IdGenerator } from '@ids/core';
import type { IdTypeName } from '@ids/segment';
import { createSequence, ensureSchema } from '@ids/segment/sql';
import type { SqlExecutor } from '@ids/store';
import { openDatabase } from '@ids/store/open';
import { createSegmentInprocGenerator } from '../../src/index.js';

/** One sequence in a table of its own. */
export interface Context<As extends IdTypeName = IdTypeName> {
  readonly database: string;
  readonly table: string;
  readonly name: string;
  readonly as: As;
  readonly maxIdsLost?: number | undefined;
  /** What opens the database, by its `server` in `SQL_DIALECTS` or `POSTGRES_CLIENTS`; otherwise the URL. */
  readonly client?: string | undefined;
  /** For a process whose start may take long. */
  readonly deadlineMs?: number | undefined;
}

/** The same sequence for ids in real-time order. */
export interface OrderedContext extends Context {
  readonly order: 'real-time';
}

/** `note` counts events of a recording's processes. */
export async function open(
  context: Context | OrderedContext,
  note?: (event: string) => void,
): Promise<IdGenerator> {
  // Small segments, so that their edges are met often; with a bound of its own, as large as that allows.
  const maxStep = context.maxIdsLost ?? 800;
  const onEvent = ({ type }: { readonly type: string }): void => note?.(type);
  const { client, ...rest } = context;
  // It ends with the process.
  const database = client === undefined ? rest.database : await openClient(client, rest.database);
  return 'order' in rest
    ? createSegmentInprocGenerator({ ...rest, database, maxStep, onEvent })
    : createSegmentInprocGenerator({ ...rest, database, minStep: 50, maxStep, onEvent });
}

/** Loaded only here: each process of a test waits for the drivers of all databases. */
async function openClient(client: string, url: string): Promise<Parameters<typeof openDatabase>[0]> {
  const { POSTGRES_CLIENTS, SQL_DIALECTS } = await import('@ids/local-services/dialects');
  const kind = [...SQL_DIALECTS, ...POSTGRES_CLIENTS].find(({ server }) => server === client);
  if (kind === undefined) throw new Error(`no client ${client}`);
  return (await kind.openClient(url)).database;
}

export async function createContext<As extends IdTypeName>(
  database: string,
  table: string,
  as: As,
  maxIdsLost?: number,
): Promise<Context<As>> {
  const context: Context<As> = { database, table, name: 'order', as, maxIdsLost };
  await withExecutor(database, async (executor) => {
    await ensureSchema(executor, { table });
    await createSequence(executor, context.name, { table });
  });
  return context;
}

/** Runs `use` with one connection to a database of any kind, opened and closed here, or with a pool. */
export async function withExecutor<T>(
  database: Parameters<typeof openDatabase>[0],
  use: (executor: SqlExecutor) => Promise<T>,
): Promise<T> {
  const executor = await openDatabase(database, { max: 1 });
  try {
    return await use(executor);
  } finally {
    await executor.close();
  }
}
