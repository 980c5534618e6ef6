import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { Miniflare } from 'miniflare';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const resolveDir = fileURLToPath(new URL('..', import.meta.url));

/** What is in the bundle of a program: its text, and the files of which something is left in it. */
async function bundle(program: string, platform: 'browser' | 'node') {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform,
    // As wrangler bundles for workerd. There, an import of `node:` would be an error.
    conditions: platform === 'browser' ? ['workerd', 'worker', 'browser'] : [],
    external: ['cloudflare:workers'],
    // Clients that this package does not have.
    nodePaths: [join(resolveDir, '../../local-services/node_modules')],
  });
  return { script: outputFiles[0]?.text ?? '', files: filesIn(metafile) };
}

function filesIn({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => (inputs[file]?.bytesInOutput ?? 0) > 0),
  );
}

const WORKER = `export * from './support/edge-worker.mjs'; export { default } from './support/edge-worker.mjs';`;
const DRIVERS = /node_modules\/(pg|postgres|@neondatabase|mysql2|better-sqlite3|libsql|@libsql)\//;

const KINDS = ['postgres', 'mysql', 'sqlite'];

/** The files for one kind of database. */
function sqlOf(kind: string, files: readonly string[]): string[] {
  return files.filter((file) => file.includes(`/dist/${kind}/`));
}

let script: string;
let files: readonly string[];
beforeAll(async () => {
  ({ script, files } = await bundle(WORKER, 'browser'));
});

describe('the bundle', () => {
  it('of a Worker on D1 has no driver and no other database', () => {
    expect(files.some((file) => file.endsWith('store/dist/sqlite/d1.js'))).toBe(true);
    expect(
      files.filter((file) => DRIVERS.test(file) || /dist\/(postgres|mysql|open|sql)\//.test(file)),
    ).toEqual([]);
  });

  it('of a service that gives a URL has the SQL of all databases, and no driver of SQLite', async () => {
    const service = `import { createSegmentInprocGenerator } from '@ids/segment-inproc';
      export const ids = await createSegmentInprocGenerator({ name: 'order', database: 'postgres://localhost/db' });`;
    const { files } = await bundle(service, 'node');
    for (const kind of KINDS) expect(sqlOf(kind, files)).not.toEqual([]);
    expect(
      files.filter((file) =>
        /node_modules\/(better-sqlite3|libsql|@libsql)\/|sqlite\/(d1|durable-object)/.test(file),
      ),
    ).toEqual([]);
  });

  it.each([
    ['postgres', `fromPgUrl('postgres://localhost/db')`, 'PostgresSegmentSource'],
    ['mysql', `fromMysqlUrl('mysql://localhost/db')`, 'MysqlSegmentSource'],
    [
      'sqlite',
      `(await import('@ids/store/sqlite/file')).fromSqliteUrl('sqlite:ids.db')`,
      'SqliteSegmentSource',
    ],
  ])(
    'of a service with the entry for %s has the SQL of no other database',
    async (kind, executor, source) => {
      const service = `import * as sql from '@ids/segment/${kind}';
      import { createSegmentInprocGenerator } from '@ids/segment-inproc/edge';
      const executor = await ${executor.replace(/^from/, 'sql.from')};
      await sql.ensureSchema(executor);
      await sql.createSequence(executor, 'order');
      export const source = new sql.${source}(executor);
      export const ids = await createSegmentInprocGenerator({ name: 'order', source });`;
      const { files } = await bundle(service, 'node');
      expect(sqlOf(kind, files)).not.toEqual([]);
      for (const other of KINDS) if (other !== kind) expect(sqlOf(other, files)).toEqual([]);
      expect(files.filter((file) => /dist\/(open|sql|guarded)\//.test(file))).toEqual([]);
    },
  );

  it.each([
    ['postgres', `import client from 'postgres';`, 'fromPostgresJs(client(url))'],
    ['@neondatabase', `import { neon } from '@neondatabase/serverless';`, 'fromNeon(neon(url))'],
  ])('of a service with a client of %s has no other driver', async (driver, client, executor) => {
    const service = `import * as sql from '@ids/segment/postgres';
      ${client}
      const url = 'postgres://localhost/db';
      export const source = new sql.PostgresSegmentSource(sql.${executor});`;
    const { files } = await bundle(service, 'node');
    const drivers = new Set(files.flatMap((file) => DRIVERS.exec(file)?.[1] ?? []));
    expect([...drivers]).toEqual([driver]);
  });
});

describe.each([
  ['docs/segments.md', /^## libSQL, D1.*?^```js\n(.*?)^```$/ms],
  ['docs/keyed.md', /^## In D1 and in Durable.*?^```js\n(.*?)^```$/ms],
])('the Worker in %s', (page, section) => {
  it('runs as it stands', async () => {
    const text = readFileSync(join(resolveDir, '../../..', page), 'utf8');
    const [, program = ''] = section.exec(text) ?? [];
    const workerd = new Miniflare({
      modules: true,
      script: (await bundle(program, 'browser')).script,
      compatibilityDate: '2025-01-01',
      d1Databases: ['DB'],
      ...(program.includes('DurableObject {') && {
        durableObjects: { IDS: { className: 'Ids', useSQLite: true } },
      }),
    });
    try {
      for (const id of [1, 2]) {
        expect(await (await workerd.dispatchFetch('http://ids/')).json()).toBe(id);
      }
    } finally {
      await workerd.dispose();
    }
  });
});

describe('in workerd', () => {
  let folder: string;
  let workerd: Miniflare;
  /** Two Workers, which are isolates of their own, with one database of D1. */
  const start = () => {
    const worker = (name: string) => ({
      name,
      modules: true,
      script,
      compatibilityDate: '2025-01-01',
      d1Databases: { DB: 'one' },
      durableObjects: { IDS: { className: 'Ids', useSQLite: true } },
    });
    return new Miniflare({
      workers: [worker('a'), worker('b')],
      d1Persist: join(folder, 'd1'),
      durableObjectsPersist: join(folder, 'objects'),
    });
  };
  const ask = async (worker: 'a' | 'b', query: string) => {
    const { fetch } = (await workerd.getWorker(worker)) as unknown as { fetch: typeof globalThis.fetch };
    return fetch(`http://ids/?${query}`);
  };
  const ids = async (worker: 'a' | 'b', query: string): Promise<number[]> => {
    const answer = await ask(worker, query);
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as number[];
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ids-edge-'));
    workerd = start();
  });
  afterEach(async () => {
    await workerd.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const restart = async () => {
    await workerd.dispose();
    workerd = start();
  };

  it('no two isolates, objects or requests get the same id from D1, nor after a restart', async () => {
    const round = async () => {
      const calls = Array.from({ length: 10 }).flatMap(() =>
        (['a', 'b'] as const).flatMap((worker) => [
          ids(worker, 'count=7&store=d1&object=one'),
          ids(worker, 'count=7&store=d1&object=two'),
          ids(worker, 'count=7'),
        ]),
      );
      return (await Promise.all(calls)).flat();
    };
    const before = await round();
    await restart();
    const after = await round();
    expect(new Set([...before, ...after]).size).toBe(2 * 60 * 7);
    expect(Math.min(...after)).toBeGreaterThan(Math.max(...before));
  });

  it('the ids of an object rise in its own storage, also after a restart', async () => {
    const all: number[] = [];
    for (let round = 0; round < 3; round++) {
      for (let request = 0; request < 10; request++) all.push(...(await ids('a', 'count=7&object=one')));
      await restart();
    }
    expect(all).toHaveLength(3 * 10 * 7);
    expect(all.filter((id, i) => id <= (all[i - 1] ?? 0))).toEqual([]);
    expect(await ids('a', 'count=1&object=two')).toEqual([1]);
  });

  it('no two isolates, objects or requests get the same number of a key from D1, nor after a restart', async () => {
    const keys = ['group:1', 'group:2', 'group:3'];
    const all = new Map<string, number[]>(keys.map((key) => [key, []]));
    for (let round = 0; round < 2; round++) {
      const calls = keys.flatMap((key) =>
        Array.from({ length: 5 }).flatMap(() =>
          (['a', 'b'] as const).flatMap((worker) =>
            ['&store=d1&object=one', '&store=d1&object=two', ''].map(async (where) => {
              all.get(key)?.push(...(await ids(worker, `count=3&key=${key}${where}`)));
            }),
          ),
        ),
      );
      await Promise.all(calls);
      await restart();
    }
    for (const numbers of all.values()) {
      // A lost race skips numbers, so they may end above how many there are.
      expect(new Set(numbers).size).toBe(2 * 5 * 2 * 3 * 3);
      expect(Math.min(...numbers)).toBe(1);
    }
  });

  it('the numbers of each key begin at 1 in the storage of an object, and go on after a restart', async () => {
    for (let round = 0; round < 3; round++) {
      for (const key of ['group:1', 'group:2']) {
        const first = 4 * round + 1;
        expect(await ids('a', `count=2&object=one&key=${key}`)).toEqual([first, first + 1]);
        expect(await ids('a', `count=2&object=one&key=${key}`)).toEqual([first + 2, first + 3]);
      }
      await restart();
    }
    expect(await ids('a', 'count=1&object=two&key=group:1')).toEqual([1]);
  });

  it('a generator that requests share outside an object is refused, and issues nothing twice', async () => {
    const first = await ids('a', 'count=15&store=shared');
    const second = await ask('a', 'count=15&store=shared');
    expect(await second.text()).toMatch(/on behalf of a different request/);
    expect(Math.min(...(await ids('a', 'count=1')))).toBeGreaterThan(Math.max(...first));
  });
});
