import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GeneratorConfig, openGenerator, planGenerators } from '@ids/config';
import type { IdGenerator } from '@ids/core';
import { uniqueName } from '@ids/local-services';
import type { SqlDialect } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-setup';
import type { SqlExecutor } from '@ids/store';
import { openDatabase } from '@ids/store/open';
import { inject, onTestFinished } from 'vitest';
import { family } from '../../src/built-in.js';
import { type Ran, runIds } from './run-ids.js';

/** A segment table of its own, in a database of any kind, and a folder for a config. */
export interface OwnTable {
  /** The segment table, which `apply` creates; also a prefix for names of other tables and of keys. */
  readonly table: string;
  readonly url: string;
  readonly executor: SqlExecutor;
  /** Runs statements, as an administrator. */
  run(...statements: readonly string[]): Promise<void>;
  /** Writes a config of these generators, with a table and Redis keys of their own, into a new folder. */
  configure(generators: Readonly<Record<string, GeneratorConfig>>): Promise<void>;
  /** Opens a generator of that config, as a process of a service does; it is closed after the test. */
  open(name: string): Promise<IdGenerator>;
  /** Runs the command there. */
  ids(...argv: readonly string[]): Promise<Ran>;
  /** Dumps the segment table; what it resolves with restores it. */
  dump(): Promise<() => Promise<void>>;
}

export async function openOwnTable(kind: Pick<SqlDialect, 'shared' | 'dumpTable'>): Promise<OwnTable> {
  const table = uniqueName('own');
  const url = await kind.shared();
  const executor = await openDatabase(url, { max: 2 });
  onTestFinished(() => executor.close());
  let cwd = tmpdir();
  let config: object = {};
  return {
    table,
    url,
    executor,
    async run(...statements) {
      for (const statement of statements) await executor.execute(statement, []);
    },
    async configure(generators) {
      const folder = await mkdtemp(join(tmpdir(), 'ids-cli-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const own = Object.entries(generators).map(([name, one]) => [
        name,
        { ...tablesOf(one, table), ...one },
      ]);
      config = { redis: inject('redisUrl'), database: url, generators: Object.fromEntries(own) };
      await writeFile(join(folder, 'ids.config.json'), JSON.stringify(config));
      cwd = folder;
    },
    async open(name) {
      const configured = planGenerators(family, config).get(name);
      if (configured === undefined) throw new Error(`there is no generator ${name}`);
      const { generator, keyed } = await openGenerator(configured);
      if (keyed) throw new Error(`the generator ${name} issues ids by key`);
      onTestFinished(() => generator.close());
      return generator;
    },
    ids: (...argv) => runIds(cwd, argv),
    async dump() {
      const dump = await kind.dumpTable(url, table);
      return () => dump.restoreTo(url);
    },
  };
}

function tablesOf(
  { strategy, worker }: GeneratorConfig & { readonly worker?: unknown },
  table: string,
): object {
  if (strategy === 'segment-redis-db') return { table, keyPrefix: `${table}:` };
  if (strategy === 'segment-inproc') return { table };
  return strategy === 'snowflake' && worker === undefined ? { table: `${table}_slots` } : {};
}
