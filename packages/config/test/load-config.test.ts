import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig, openIds, readConfig } from '../src/index.js';
import { local, sharedStrategy } from './support.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ids-config-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const write = (file: string, text: string): Promise<void> => writeFile(join(cwd, file), text);
const JSON_CONFIG = JSON.stringify({ redis: 'file', generators: { orderLine: { strategy: 'local' } } });

describe('loadConfig', () => {
  it.each([
    ['ids.config.json', JSON_CONFIG],
    ['ids.config.json5', JSON_CONFIG],
    ['ids.config.yaml', 'redis: file\ngenerators:\n  orderLine:\n    strategy: local\n'],
    ['ids.config.yml', 'redis: file\ngenerators:\n  orderLine:\n    strategy: local\n'],
    ['ids.config.js', `export default ${JSON_CONFIG};`],
    ['ids.config.ts', `export default ${JSON_CONFIG} satisfies object;`],
  ])('reads %s', async (file, text) => {
    await write(file, text);
    const config = await loadConfig({ cwd, environment: {} });
    expect(config).toMatchObject({ redis: 'file', generators: { orderLine: { strategy: 'local' } } });
  });

  it('reads no file that only looks like it', async () => {
    await write('ids.config.json', JSON_CONFIG);
    for (const name of ['my-ids.config.json', 'ids.config.json.bak']) await write(name, '{}');
    expect(await loadConfig({ cwd, environment: {} })).toEqual(JSON.parse(JSON_CONFIG));
  });

  it('takes what stands in the file, and nothing from other files or by the name of an environment', async () => {
    vi.stubEnv('IDS_REDIS_URL', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const config = {
      ...JSON.parse(JSON_CONFIG),
      $schema: './ids.schema.json',
      extends: './other.json',
      $test: { redis: 'of tests' },
      $true: { redis: 'of an environment' },
    };
    await write('ids.config.json', JSON.stringify(config));
    await write('other.json', '{ "database": "of another file" }');
    await write('package.json', '{ "ids": { "database": "of the package" } }');
    await write('.idsrc', 'database="of an rc file"');
    await write('.env', 'IDS_REDIS_URL=of-dotenv');
    expect(await loadConfig({ cwd })).toEqual(config);
  });

  it('finds a file of SQLite beside the config, wherever the process runs', async () => {
    const own = { strategy: 'local', database: 'sqlite:data/own.db', path: 'sqlite:ids.db' };
    const absolute = { strategy: 'local', database: 'sqlite:/var/ids.db' };
    const memory = { strategy: 'local', database: 'sqlite::memory:' };
    const server = { strategy: 'local', database: 'postgres://localhost/app' };
    const generators = { own, absolute, memory, server };
    await write('ids.config.json', JSON.stringify({ database: 'sqlite:ids.db', generators }));
    expect(await loadConfig({ cwd, environment: {} })).toEqual({
      database: `sqlite:${join(cwd, 'ids.db')}`,
      generators: { ...generators, own: { ...own, database: `sqlite:${join(cwd, 'data/own.db')}` } },
    });
    const environment = { IDS_DATABASE_URL: 'sqlite:elsewhere.db' };
    expect(await loadConfig({ cwd, environment })).toMatchObject({ database: 'sqlite:elsewhere.db' });
  });

  it('lays the environment over the file', async () => {
    await write('ids.config.json', JSON_CONFIG);
    const environment = { IDS_REDIS_URL: 'redis://env', IDS_ORDER_LINE_STRATEGY: 'shared' };
    const config = await loadConfig({ cwd, environment });
    expect(config).toMatchObject({ redis: 'redis://env', generators: { orderLine: { strategy: 'shared' } } });
  });

  it('reads a secret from the file that the environment names', async () => {
    await write('ids.config.json', JSON_CONFIG);
    await write('secret', 'postgres://secret\n');
    const config = await loadConfig({ cwd, environment: { IDS_DATABASE_URL_FILE: join(cwd, 'secret') } });
    expect(config.database).toBe('postgres://secret');
  });

  it('lays code over the environment, and the environment over the file, and tells which won', async () => {
    await write(
      'ids.config.yaml',
      'redis: redis://file\ndatabase: postgres://file/db\ngenerators:\n  order: { strategy: local, prefix: a, column: orders.id }\n',
    );
    const { config, settings, file } = await readConfig({
      cwd,
      environment: {
        IDS_REDIS_URL: 'redis://env',
        IDS_DATABASE_URL: 'postgres://env/db',
        IDS_ORDER_STRATEGY: 'shared',
      },
      overrides: { database: 'postgres://code/db', generators: { order: { prefix: 'b' } } },
    });
    expect(config).toEqual({
      redis: 'redis://env',
      database: 'postgres://code/db',
      generators: { order: { strategy: 'shared', prefix: 'b', column: 'orders.id' } },
    });
    expect(file).toBe('ids.config.yaml');
    expect(Object.fromEntries(settings.map(({ path, origin }) => [path.join('.'), origin]))).toEqual({
      redis: 'environment IDS_REDIS_URL',
      database: 'code',
      'generators.order.strategy': 'environment IDS_ORDER_STRATEGY',
      'generators.order.prefix': 'code',
      'generators.order.column': 'ids.config.yaml',
    });
  });

  it('takes the key of obfuscated ids from the environment, where it is wanted', async () => {
    const generators = { a: { strategy: 'x', encode: { as: 'hex', obfuscate: true } }, b: { strategy: 'x' } };
    await write('ids.config.json', JSON.stringify({ generators }));
    const config = await loadConfig({ cwd, environment: { IDS_A_KEY: 'secret', IDS_B_KEY: 'secret' } });
    expect(config.generators).toEqual({
      a: { strategy: 'x', encode: { as: 'hex', obfuscate: true, key: 'secret' } },
      b: { strategy: 'x' },
    });
  });

  it('takes the token of a client from the environment, where a server issues the ids', async () => {
    const generators = { a: { strategy: 'http' }, b: { strategy: 'x' }, c: { strategy: 'x' } };
    await write('ids.config.json', JSON.stringify({ generators }));
    await write('token', 'of-c\n');
    const environment = {
      IDS_A_TOKEN: 'of-a',
      IDS_B_TOKEN: 'of-b',
      IDS_C_STRATEGY: 'http',
      IDS_C_TOKEN_FILE: join(cwd, 'token'),
    };
    expect((await loadConfig({ cwd, environment })).generators).toEqual({
      a: { strategy: 'http', token: 'of-a' },
      b: { strategy: 'x' },
      c: { strategy: 'http', token: 'of-c' },
    });
  });

  it('takes the level of the log from the environment, and names each variable as the origin', async () => {
    await write('ids.config.json', JSON_CONFIG);
    await write('secret', 'postgres://secret\n');
    const environment = { IDS_LOG_LEVEL: 'warn', IDS_DATABASE_URL_FILE: join(cwd, 'secret') };
    const { config, settings } = await readConfig({ cwd, environment });
    expect(config).toMatchObject({ logLevel: 'warn', database: 'postgres://secret' });
    expect(settings.slice(-2)).toEqual([
      { path: ['logLevel'], value: 'warn', origin: 'environment IDS_LOG_LEVEL' },
      { path: ['database'], value: 'postgres://secret', origin: 'environment IDS_DATABASE_URL_FILE' },
    ]);
  });

  it('joins the words of a name with one underscore, whatever stands between them', async () => {
    await write('ids.config.json', '{ "generators": { "order - line": { "strategy": "local" } } }');
    const config = await loadConfig({ cwd, environment: { IDS_ORDER_LINE_STRATEGY: 'shared' } });
    expect(config.generators).toEqual({ 'order - line': { strategy: 'shared' } });
  });

  it('tells settings apart whose names are the same when run together', async () => {
    await write('ids.config.json', '{ "generators": { "a": { "bc": 1 }, "ab": { "c": 2 } } }');
    const { settings } = await readConfig({ cwd, environment: {} });
    expect(settings.map(({ path, value }) => [path.join('.'), value])).toEqual([
      ['generators.a.bc', 1],
      ['generators.ab.c', 2],
    ]);
  });

  it('takes overrides that are null for none', async () => {
    await write('ids.config.json', JSON_CONFIG);
    const { config, settings } = await readConfig({ cwd, environment: {}, overrides: null as never });
    expect(config).toEqual(JSON.parse(JSON_CONFIG));
    expect(settings.map(({ origin }) => origin)).toEqual(['ids.config.json', 'ids.config.json']);
  });

  it('is what openIds opens when it is handed no config', async () => {
    await write('ids.config.json', '{ "generators": { "event": { "strategy": "local", "prefix": "e" } } }');
    await using ids = await openIds({ strategies: [local], cwd, environment: {} });
    expect(await ids.generators.event?.next()).toBe('e1');
  });

  it('names the variables that give a missing backend, which a config in code does not read', async () => {
    const generators = { order: { strategy: 'shared' } };
    await write('ids.config.json', JSON.stringify({ generators }));
    const { strategy: shared } = sharedStrategy();
    const refusal = (options: object) =>
      openIds({ strategies: [shared], ...options }).catch(({ message }: Error) => message);
    const line = (option: string) => `generators.order: shared: option "${option}": is required`;
    expect(await refusal({ cwd, environment: {} })).toBe(
      ['redis', 'database'].map((it) => `${line(it)}; set IDS_REDIS_URL and IDS_DATABASE_URL`).join('\n'),
    );
    expect(await refusal({ cwd, environment: { IDS_REDIS_URL: 'r' } })).toBe(
      `${line('database')}; set IDS_DATABASE_URL`,
    );
    expect(await refusal({ config: { redis: 'r', generators } })).toBe(line('database'));
  });

  it('takes an empty variable for one that is not set', async () => {
    await write('ids.config.json', JSON_CONFIG);
    expect(
      await loadConfig({ cwd, environment: { IDS_REDIS_URL: '', IDS_DATABASE_URL_FILE: '' } }),
    ).toMatchObject({ redis: 'file' });
  });
});

describe('a config that cannot be put together', () => {
  it('because its secret cannot be read, names the variable', async () => {
    await write('ids.config.json', JSON_CONFIG);
    const file = join(cwd, 'missing');
    await expect(loadConfig({ cwd, environment: { IDS_REDIS_URL_FILE: file } })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(`^IDS_REDIS_URL_FILE: .*${file}`),
    });
  });

  it('because its secret is empty or given twice, names all variables at once', async () => {
    await write('ids.config.json', JSON_CONFIG);
    await write('empty', '\n');
    const environment = {
      IDS_REDIS_URL: 'r',
      IDS_REDIS_URL_FILE: 'f',
      IDS_DATABASE_URL_FILE: join(cwd, 'empty'),
    };
    await expect(loadConfig({ cwd, environment })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(
        /^IDS_REDIS_URL .*IDS_REDIS_URL_FILE .*\nIDS_DATABASE_URL_FILE: [^\n]*$/,
      ),
    });
  });

  it('because there is none, says where it looked', async () => {
    await expect(loadConfig({ cwd, environment: {} })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining(cwd),
    });
  });

  it('because there is no such folder, says so likewise', async () => {
    const missing = join(cwd, 'missing');
    await expect(loadConfig({ cwd: missing, environment: {} })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining(missing),
    });
  });

  it('because there are two, names both', async () => {
    await write('ids.config.json', JSON_CONFIG);
    await write('ids.config.yaml', 'generators: {}\n');
    await expect(loadConfig({ cwd, environment: {} })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/ids\.config\.json.*ids\.config\.yaml/),
    });
  });

  it.each([
    ['ids.config.json', '{ "database": "postgres://u:hunter2@db/x" "generators": {} }', 'JSON'],
    ['ids.config.json', '{ "database": "postgres://u:hunter2@', 'JSON'],
    ['ids.config.json5', '{ database: "postgres://u:hunter2@', 'JSON'],
    ['ids.config.yaml', 'database: postgres://u:hunter2@db/x\n  generators: {', 'YAML'],
    ['ids.config.yml', 'database: postgres://u:hunter2@db/x\n  generators: {', 'YAML'],
  ])('because %s is not well formed, shows no password out of it: %s', async (file, text, problem) => {
    await write(file, text);
    const error: unknown = await loadConfig({ cwd, environment: {} }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ERR_IDS_CONFIG' });
    expect((error as Error).message).toMatch(new RegExp(`^${file} .*${cwd}.* ${problem}`));
    expect(inspect(error, { depth: null })).not.toContain('hunter2');
  });

  it('because it is not well formed, says where as far as its parser does', async () => {
    const messageOf = () => loadConfig({ cwd, environment: {} }).catch(({ message }: Error) => message);
    await write('ids.config.yaml', `${'\n'.repeat(11)}redis: "r" @\n`);
    expect(await messageOf()).toMatch(/\(line 12, column 12\)$/);
    await rm(join(cwd, 'ids.config.yaml'));
    await write('ids.config.json', '{ "a": 1 "b": 2 }');
    // Node.js 20 has no line and column of JSON.
    expect(await messageOf()).toMatch(/JSON(?: \(line 1, column 10\))?$/);
  });

  it('because its code throws, says what it threw', async () => {
    await write('ids.config.mjs', "throw new Error('no such vault')");
    await expect(loadConfig({ cwd, environment: {} })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      cause: { message: 'no such vault' },
    });
  });
});
