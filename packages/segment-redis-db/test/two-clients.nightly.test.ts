import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type {} from '@ids/local-services/vitest-setup';
import { build } from 'esbuild';
import { describe, expect, inject, it } from 'vitest';

/** What became of `open`, and which packages it loaded, in a process with these modules preloaded. */
async function loaded(open: string, ...preload: readonly string[]): Promise<unknown> {
  const script = `
    import { createRequire } from 'node:module';
    import { MemorySegmentSource } from '@ids/segment';
    import { createSegmentRedisDbGenerator } from './src/index.js';
    const source = new MemorySegmentSource({ order: { startAfter: 0 } });
    const keyPrefix = 'two-clients-' + crypto.randomUUID() + ':';
    const url = ${JSON.stringify(inject('redisUrl'))};
    const take = async (redis) => {
      const ids = await createSegmentRedisDbGenerator({ name: 'order', redis, source, keyPrefix });
      const id = await ids.next();
      await ids.close();
      return id;
    };
    const outcome = await (async () => { ${open} })().catch(({ code, message }) => ({ code, message }));
    const files = Object.keys(createRequire(import.meta.url).cache);
    const has = (part) => files.some((file) => file.includes(part));
    console.log(JSON.stringify({ outcome, ioredis: has('/ioredis/'), redis: has('/@redis/client/') }));
  `;
  const imports = [import.meta.resolve('tsx'), ...preload].flatMap((one) => ['--import', one]);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...imports, '--input-type=module', '--eval', script],
    { cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  return JSON.parse(stdout);
}

const DRIVERS = /node_modules\/(ioredis|redis|pg|postgres|mysql2|better-sqlite3|libsql)\//;

/** The drivers that a bundle of this program loads, and those in chunks that it loads when it needs them. */
async function bundled(program: string): Promise<{ loaded: string[]; left: string[] }> {
  const { metafile } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    outdir: 'unwritten',
    format: 'esm',
    platform: 'node',
  });
  const { outputs } = metafile;
  const loaded = new Set(Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === '<stdin>'));
  // A set that grows is walked to its end.
  for (const file of loaded) {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && path in outputs) loaded.add(path);
    }
  }
  const driversIn = (files: Iterable<string>): string[] => {
    const inputs = [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
    return [...new Set(inputs.flatMap((input) => DRIVERS.exec(input)?.[1] ?? []))].sort();
  };
  const left = Object.keys(outputs).filter((file) => !loaded.has(file));
  return { loaded: driversIn(loaded), left: driversIn(left) };
}

const WITHOUT_IOREDIS = './test/support/without-ioredis.mjs';
const WITHOUT_BOTH = './test/support/without-redis-clients.mjs';

describe('the packages of Redis clients', () => {
  it('are ioredis for a URL where both are installed, and redis is not loaded', async () => {
    expect(await loaded('return take(url)')).toEqual({ outcome: 1, ioredis: true, redis: false });
  });

  it('are redis for a URL where it alone is installed', async () => {
    expect(await loaded('return take(url)', WITHOUT_IOREDIS)).toEqual({
      outcome: 1,
      ioredis: false,
      redis: true,
    });
  });

  it('are redis alone for a client of it', async () => {
    const open = `
      const client = await (await import('redis')).createClient({ url }).connect();
      const id = await take(client);
      client.destroy();
      return id;
    `;
    expect(await loaded(open)).toEqual({ outcome: 1, ioredis: false, redis: true });
  });

  it('are ioredis alone for a client of it', async () => {
    const open = `
      const client = new (await import('ioredis')).Redis(url);
      const id = await take(client);
      client.disconnect();
      return id;
    `;
    expect(await loaded(open)).toEqual({ outcome: 1, ioredis: true, redis: false });
  });

  it('load no other driver in the bundle of a service that passes a client of redis', async () => {
    const program = `
      import { createClient } from 'redis';
      import { createSegmentRedisDbGenerator } from './src/index.js';
      const redis = createClient();
      export const ids = createSegmentRedisDbGenerator({ name: 'order', redis, database: 'mysql://db/app' });
    `;
    expect(await bundled(program)).toMatchObject({
      loaded: ['redis'],
      left: expect.arrayContaining(['ioredis', 'mysql2', 'pg']),
    });
  });

  it('are named with the commands that install them where a URL finds neither', async () => {
    expect(await loaded('return take(url)', WITHOUT_BOTH)).toEqual({
      outcome: {
        code: 'ERR_IDS_CONFIG',
        message: expect.stringMatching(/`npm install ioredis` or `npm install redis`, or pass a client$/),
      },
      ioredis: false,
      redis: false,
    });
  });
});
