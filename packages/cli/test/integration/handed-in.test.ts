import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

const bin = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));

/** A package from here: the config is in another folder. */
const here = (name: string) => JSON.stringify(import.meta.resolve(name));

/** How a config opens clients for these URLs. */
const CLIENTS = {
  'ioredis and pg': (redis: string, database: string) => `
    import { Redis } from ${here('ioredis')};
    import pg from ${here('pg')};
    const redis = new Redis(${redis});
    const database = new pg.Pool({ connectionString: ${database}, idleTimeoutMillis: 0 });`,
  'redis and postgres': (redis: string, database: string) => `
    import { createClient } from ${here('redis')};
    import postgres from ${here('postgres')};
    const redis = await createClient({ url: ${redis} }).connect();
    const database = postgres(${database});`,
};

it.each(Object.entries(CLIENTS))(
  'ends, and checks Redis, although clients of %s in the config stay open',
  async (_names, clients) => {
    const own = await openOwnSchema();
    const cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
    onTestFinished(() => rm(cwd, { recursive: true }));
    const order = { strategy: 'segment-redis-db', keyPrefix: `${uniqueName('handed')}:` };
    const config = `
    ${clients(JSON.stringify(inject('redisUrl')), JSON.stringify(own.url))}
    export default { redis, database, generators: { order: ${JSON.stringify(order)} } };`;
    await writeFile(join(cwd, 'ids.config.mjs'), config);
    // Ended by this time limit, it would reject.
    const ids = (...argv: string[]) =>
      promisify(execFile)(process.execPath, [bin, ...argv], { cwd, timeout: 20_000 });
    await expect(ids('next', 'order'), 'without a table').rejects.toMatchObject({ code: 3 });
    await ids('apply');
    const issued = (await ids('next', 'order', '-n', '100000')).stdout;
    expect(issued.trimEnd().split('\n').map(Number)).toEqual(
      Array.from({ length: 100_000 }, (_, i) => i + 1),
    );
    expect((await ids('doctor')).stdout).toMatch(/^ok\tredis\tRedis \d.*\n(?:.*\n)?ok\tredis clock\t/m);
  },
);
