import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../src/index.js';

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
    ['ids.config.yaml', 'redis: file\ngenerators:\n  orderLine:\n    strategy: local\n'],
    ['ids.config.js', `export default ${JSON_CONFIG};`],
    ['ids.config.ts', `export default ${JSON_CONFIG} satisfies object;`],
  ])('reads %s', async (file, text) => {
    await write(file, text);
    const config = await loadConfig({ cwd, environment: {} });
    expect(config).toMatchObject({ redis: 'file', generators: { orderLine: { strategy: 'local' } } });
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

  it('names the variable whose secret cannot be read', async () => {
    await write('ids.config.json', JSON_CONFIG);
    const file = join(cwd, 'missing');
    await expect(loadConfig({ cwd, environment: { IDS_REDIS_URL_FILE: file } })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: `IDS_REDIS_URL_FILE: cannot read "${file}"`,
    });
  });

  it('says where it looked when there is no config', async () => {
    await expect(loadConfig({ cwd, environment: {} })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: `there is no ids.config.{ts,js,json,yaml} in ${cwd}`,
    });
  });

  it('says what is wrong with a config that cannot be read', async () => {
    await write('ids.config.json', '{ "generators": ');
    await expect(loadConfig({ cwd, environment: {} })).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  });
});
