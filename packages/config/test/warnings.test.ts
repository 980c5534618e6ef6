import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openIds, readConfig } from '../src/index.js';
import { local } from './support.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ids-config-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const ORDER = '{ "generators": { "order": { "strategy": "local" } } }';

/** The warnings about a config and an environment, a line each. */
async function warningsOf(
  text: string,
  environment: Readonly<Record<string, string>> = {},
  file = 'ids.config.json',
): Promise<string[]> {
  await writeFile(join(cwd, file), text);
  const { warnings } = await readConfig({ cwd, environment });
  return warnings.map(({ about, message }) => `${about} ${message}`);
}

describe('a variable that sets nothing', () => {
  it.each([
    ['IDS_ORDR_STRATEGY', 'IDS_ORDER_STRATEGY'],
    ['IDS_BILL_STRATEGY', undefined],
    ['IDS_BILL_KEY', undefined],
    ['IDS_ORDER_KEY', undefined],
    ['IDS_ORDER_KEY_FILE', undefined],
    ['IDS_ORDER_TOKEN', undefined],
    ['IDS_BILL_TOKEN', undefined],
    ['IDS_ORDER_STRATGY', 'IDS_ORDER_STRATEGY'],
    ['IDS_DATABSE_URL', 'IDS_DATABASE_URL'],
    ['IDS_REDS_URL_FILE', 'IDS_REDIS_URL_FILE'],
    ['IDS_LOG_LEVL', 'IDS_LOG_LEVEL'],
  ])('is told, and which one was meant: %s', async (variable, meant) => {
    const named = (await warningsOf(ORDER, { [variable]: 'x' })).map((line) => line.match(/IDS_\w+/g));
    expect(named).toEqual([meant === undefined ? [variable] : [variable, meant]]);
  });

  it('is told of a key by the generators that take one', async () => {
    const generators = { order: { strategy: 'local', encode: { as: 'hex', obfuscate: true } } };
    const [warning] = await warningsOf(JSON.stringify({ generators }), { IDS_ORDR_KEY: 'x' });
    expect(warning).toContain('IDS_ORDER_KEY');
  });

  it('is not taken for one by what it has in common with others', async () => {
    const environment = { IDS_FAULTS: 'off', IDS_ORDER_STRATEGY: 'local', IDS_ORDR_STRATEGY: '', PATH: '/' };
    expect(await warningsOf(ORDER, environment)).toEqual([]);
  });

  it('is logged when a service opens its generators', async () => {
    await writeFile(join(cwd, 'ids.config.json'), ORDER);
    const open = async (logLevel: string): Promise<string[]> => {
      const lines: string[] = [];
      const ignore = (): void => {};
      const logger = { error: ignore, warn: (line: string) => lines.push(line), info: ignore, debug: ignore };
      const environment = { IDS_ORDR_STRATEGY: 'x', IDS_LOG_LEVEL: logLevel };
      await using _ids = await openIds({ strategies: [local], cwd, environment, logger });
      return lines;
    };
    expect(await open('warn')).toEqual([expect.stringMatching(/^ids: IDS_ORDR_STRATEGY /)]);
    expect(await open('error')).toEqual([]);
  });
});

describe('a key that is there twice', () => {
  const twice = (path: string, lines: string, file = 'ids.config.json') =>
    expect.stringMatching(new RegExp(`^${file} .*"${path}".*\\b${lines}\\b`));

  it('is told with its path and lines', async () => {
    const text =
      '{\n"generators": {\n"order": {\n"strategy": "local",\n"prefix": "a",\n"prefix": "b"\n}\n}\n}';
    expect(await warningsOf(text)).toEqual([twice('generators.order.prefix', '5, 6')]);
  });

  it('is told of generators, and of what stands beside them', async () => {
    const text =
      '{ "generators": { "a": { "strategy": "local" },\n"a": { "strategy": "local" } },\n"redis": "r",\n"redis": "s" }';
    expect(await warningsOf(text)).toEqual([twice('generators.a', '1, 2'), twice('redis', '3, 4')]);
  });

  it('is found whatever is written around it', async () => {
    const text = String.raw`{ "generators": { "o": { "strategy": "local", "x": ["{", "\"", ":"], "\u0078": { "y": 1 } } } }`;
    expect(await warningsOf(text)).toEqual([twice('generators.o.x', '1, 1')]);
  });

  it('is found in JSON with comments', async () => {
    const text = `// "a": 1\n{ generators: { /* { */ o: { strategy: 'local', 'o': 1,\n"o": 2 } } }`;
    expect(await warningsOf(text, {}, 'ids.config.json5')).toEqual([
      twice('generators.o.o', '2, 3', 'ids.config.json5'),
    ]);
  });

  it('is found in an object of a list', async () => {
    const text = '{ "generators": { "o": { "strategy": "local", "l": [1, { "x": 1,\n"x": 2 }] } } }';
    expect(await warningsOf(text)).toEqual([twice('generators.o.l.1.x', '1, 2')]);
  });

  it('is no reason to fail where JavaScript rejects what JSON allows', async () => {
    const text = '{ "generators": { "o": { "strategy": "local" } }, "__proto__": 1, "__proto__": 2 }';
    expect(await warningsOf(text)).toEqual([]);
  });

  it('is an error in YAML, with its line', async () => {
    const text = 'generators:\n  order:\n    strategy: local\n    strategy: other\n';
    await expect(warningsOf(text, {}, 'ids.config.yaml')).rejects.toThrow(/\bline 4\b/);
  });

  it('is none where objects of their own have the same keys', async () => {
    const text =
      '{ "generators": { "a": { "strategy": "local" }, "b": { "strategy": "local", "l": [{ "x": 1 }, { "x": 1 }] } } }';
    expect(await warningsOf(text)).toEqual([]);
  });
});

describe('a URL of Postgres', () => {
  it.each([
    ['schema=public&pgbouncer=true&connection_limit=1', [/schema.*pgbouncer.*connection_limit/]],
    ['sslmode=require&options=-c%20search_path', []],
  ])('with %s is told what of it is ignored', async (parameters, ignored) => {
    const environment = { IDS_DATABASE_URL: `postgres://u:hunter2@db/shop?${parameters}` };
    const found = await warningsOf(ORDER, environment);
    expect(found).toEqual(ignored.map((names) => expect.stringMatching(names)));
  });
});
