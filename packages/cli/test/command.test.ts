import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IdStrategy } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { formProblem } from '@ids/encode';
import { objectid } from '@ids/objectid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { family } from '../src/built-in.js';
import { runIds } from './support/run-ids.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const configure = (generators: object, more: object = {}): Promise<void> =>
  writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ ...more, generators }));

describe('ids', () => {
  it('shows the commands where none is given', async () => {
    const { code, stdout, stderr } = await runIds(cwd, []);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const command of ['next', 'inspect', 'doctor', 'init', 'apply', 'swap', 'floor'])
      expect(stderr).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
  });

  it.each([
    [['--help'], 'Usage: ids [options] [command]'],
    [['-h'], 'Usage: ids [options] [command]'],
    // Before required options are checked.
    [['swap', '--help'], 'Usage: ids swap [options]'],
    [['swap', '-h'], 'Usage: ids swap [options]'],
    [['help'], 'Usage: ids [options] [command]'],
    [['help', 'swap'], 'Usage: ids swap [options]'],
    [['--cwd', '.', 'help', 'swap'], 'Usage: ids swap [options]'],
  ])('prints the help for %j', async (argv, usage) => {
    const { code, stdout, stderr } = await runIds(cwd, argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')[0]).toBe(usage);
  });

  it.each([['--version'], ['-V']])('prints the version of the package for %s', async (flag) => {
    const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    const stdout = `${JSON.parse(manifest).version}\n`;
    expect(await runIds(cwd, [flag])).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('tells every option of a command when asked', async () => {
    const { stdout } = await runIds(cwd, ['swap', '--help']);
    for (const option of ['--from', '--to', '--column', '--generator', '--json', '--cwd', '--strategies'])
      expect(stdout).toMatch(new RegExp(`^  ${option} `, 'm'));
  });
});

describe('ids next', () => {
  it('gives ids, one a line, or as JSON', async () => {
    await configure({ order: { strategy: 'objectid', encode: { prefix: 'ord_' } } });
    const { code, stdout } = await runIds(cwd, ['next', 'order', '-n', '3']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^(?:ord_[0-9a-f]{24}\n){3}$/);
    const json = await runIds(tmpdir(), ['next', 'order', '--json', '--cwd', cwd]);
    expect(JSON.parse(json.stdout)).toHaveLength(1);
  });

  it('gives UUIDs as TypeIDs, which inspect reads again', async () => {
    await configure({ order: { strategy: 'uuid7', encode: { form: 'typeid', prefix: 'order' } } });
    const { code, stdout } = await runIds(cwd, ['next', 'order']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^order_0[0-9a-hjkmnp-tv-z]{25}\n$/)]);
    const read = await runIds(cwd, ['inspect', stdout.trim(), '--json']);
    const [{ strategy, generator, id, parts }] = JSON.parse(read.stdout).readings;
    expect([strategy, generator]).toEqual(['uuid7', 'order']);
    const names = parts.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['time', 'counter', 'random']);
    const plain = await runIds(tmpdir(), ['inspect', id, '--json']);
    expect(JSON.parse(plain.stdout).readings).toEqual([{ strategy: 'uuid7', parts }]);
  });

  it('warns of a variable and of a key that set nothing, on standard error', async () => {
    const text = '{ "generators": { "order": { "strategy": "gpid", "strategy": "objectid" } } }';
    await writeFile(join(cwd, 'ids.config.json'), text);
    const { code, stdout, stderr } = await runIds(cwd, ['next', 'order'], {
      environment: { IDS_ORDR_STRATEGY: 'gpid' },
    });
    expect({ code, ids: stdout.length }).toEqual({ code: 0, ids: 25 });
    const warnings = stderr.split('\n').map((line) => /^ids: warning: (\S+)/.exec(line)?.[1]);
    expect(warnings).toEqual(['ids.config.json', 'IDS_ORDR_STRATEGY', undefined]);
  });

  it.each([
    ['segment-redis-db', {}, ['IDS_REDIS_URL', 'IDS_DATABASE_URL']],
    ['segment-redis-db', { IDS_DATABASE_URL: 'postgres://db/x' }, ['IDS_REDIS_URL']],
    ['segment-redis-db', { IDS_REDIS_URL: 'redis://r' }, ['IDS_DATABASE_URL']],
    ['segment-inproc', {}, ['IDS_DATABASE_URL']],
  ])('names the variables that %s lacks beside %j', async (strategy, environment, variables) => {
    await configure({ order: { strategy } });
    const { code, stderr } = await runIds(cwd, ['next', 'order'], { environment });
    expect(code).toBe(3);
    expect(stderr.match(/\bIDS_\w+/g)).toEqual(variables);
  });
});

describe('ids next without a config', () => {
  it.each([
    [['objectid'], /^[0-9a-f]{24}$/],
    [['uuid7'], /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/],
    [['gpid'], /:0:\d+:\d+;run=[0-9a-f]{16}\/\d+$/],
    [['uuid7', '--form', 'typeid', '--prefix', 'order'], /^order_0[0-9a-hjkmnp-tv-z]{25}$/],
    [['uuid7', '--form', 'ulid'], /^0[0-9A-HJKMNP-TV-Z]{25}$/],
    [['objectid', '--as', 'base62', '--prefix', 'evt_'], /^evt_[0-9A-Za-z]+$/],
  ])('issues IDs of a strategy that needs no server: %j', async (argv, form) => {
    const { code, stdout, stderr } = await runIds(cwd, ['next', ...argv, '-n', '3', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const ids = JSON.parse(stdout) as string[];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(form);
  });

  it('leaves a name to the config that has a generator of it, and no other', async () => {
    await configure({ uuid7: { strategy: 'objectid' } });
    expect((await runIds(cwd, ['next', 'uuid7'])).stdout).toMatch(/^[0-9a-f]{24}\n$/);
    expect((await runIds(cwd, ['next', 'gpid'])).stdout).toContain(';run=');
    expect((await runIds(cwd, ['next', 'uuid7', '--as', 'hex'])).code).toBe(2);
    expect((await runIds(cwd, ['next', 'snowflake'])).code).toBe(3);
  });

  it('issues nothing beside a config that cannot be read: it may have a generator of the name', async () => {
    await writeFile(join(cwd, 'ids.config.json'), '{');
    expect(await runIds(cwd, ['next', 'uuid7'])).toMatchObject({ code: 3, stdout: '' });
  });
});

/** Reads its ids, as strategies may. */
const reading: IdStrategy = {
  ...(objectid as IdStrategy),
  name: 'reading',
  inspect: (text) =>
    /^[0-9a-f]{24}$/.test(text)
      ? [{ name: 'counter', value: String(Number.parseInt(text.slice(18), 16)), note: 'of 2^24' }]
      : undefined,
};

describe('ids inspect', () => {
  it('says what an id tells, and which generator may have given it', async () => {
    await configure({ event: { strategy: 'reading' } });
    const ran = await runIds(cwd, ['inspect', '5a17b9d9ab102555b9c38874'], { strategies: [reading] });
    expect(ran).toEqual({
      code: 0,
      stdout: 'strategy\treading\t\ngenerator\tevent\t\ncounter\t12814452\tof 2^24\n',
      stderr: '',
    });
  });

  it('reads through the text that the config gives to ids', async () => {
    await configure({
      event: { strategy: 'reading', encode: { as: 'crockford', prefix: 'evt_', check: true } },
    });
    const given = await runIds(cwd, ['next', 'event'], { strategies: [reading] });
    const ran = await runIds(cwd, ['inspect', given.stdout.trim(), '--json'], { strategies: [reading] });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      readings: [
        {
          strategy: 'reading',
          generator: 'event',
          id: expect.stringMatching(/^[0-9a-f]{24}$/),
          parts: [{ name: 'counter' }],
        },
      ],
    });
  });

  it('reads without a config, and says so', async () => {
    const ran = await runIds(cwd, ['inspect', '5a17b9d9ab102555b9c38874'], { strategies: [reading] });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('ids.config');
  });

  it('reads TypeIDs and ULIDs, whoever issued them', async () => {
    const typeid = await runIds(cwd, ['inspect', 'user_01h455vb4pex5vsknk084sn02q']);
    expect(typeid).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^form\ttypeid\t\ntype\tuser\t\nuuid\t01890a5d-ac96-774b-bcce-b302099a8057\t.*\ntime\t2023-06-30T03:34:18.518Z\t\n$/,
      ),
    });
    const ulid = await runIds(cwd, ['inspect', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '--json']);
    expect(JSON.parse(ulid.stdout).readings).toMatchObject([
      { form: 'ulid', parts: [{ name: 'time', value: '2016-07-30T23:54:10.259Z' }, { name: 'random' }, {}] },
    ]);
  });

  it('reads a TypeID of the config once, and one of another type as anyone does', async () => {
    await configure({ order: { strategy: 'uuid7', encode: { form: 'typeid', prefix: 'order' } } });
    const read = async (id: string) => {
      const { stdout } = await runIds(cwd, ['inspect', id, '--json']);
      const { readings } = JSON.parse(stdout) as { readings: { strategy?: string; form?: string }[] };
      return readings.map(({ strategy, form }) => strategy ?? form);
    };
    expect(await read('order_01h455vb4pex5vsknk084sn02q')).toEqual(['uuid7']);
    expect(await read('user_01h455vb4pex5vsknk084sn02q')).toEqual(['typeid']);
  });

  it.each([
    'User_01h455vb4pex5vsknk084sn02q',
    'user_01H455VB4PEX5VSKNK084SN02Q',
    'user_8zzzzzzzzzzzzzzzzzzzzzzzzz',
    '01ARZ3NDEKTSV4RRFFQ69G5FA',
    '01ARZ3NDEKTSV4RRFFQ69G5FAv',
  ])('says what is wrong with %s', async (id) => {
    const { code, stderr } = await runIds(cwd, ['inspect', id]);
    expect(code).toBe(1);
    expect(stderr).toContain(formProblem(id) ?? 'a problem');
  });

  it('shows a table on a terminal', async () => {
    await configure({ event: { strategy: 'reading' } });
    const chunks: string[] = [];
    const stdout = { isTTY: true, write: (text: string) => chunks.push(text) };
    await runIds(cwd, ['inspect', '5a17b9d9ab102555b9c38874'], { strategies: [reading], stdout });
    expect(chunks.join('')).toMatch(/│ counter\s+│ 12814452\s+│ of 2\^24 │/);
  });
});

describe('ids init', () => {
  it.each(family.map(({ name }) => name))('writes a config for %s that is valid', async (strategy) => {
    const { code, stdout } = await runIds(cwd, ['init', '--strategy', strategy, '--name', 'bill']);
    expect(code).toBe(0);
    expect(stdout).toContain('ids next bill');
    expect(JSON.parse(await readFile(join(cwd, 'ids.config.json'), 'utf8'))).toMatchObject({
      $schema: './ids.schema.json',
      generators: { bill: { strategy } },
    });
    const environment = {
      IDS_REDIS_URL: 'redis://127.0.0.1:1',
      IDS_DATABASE_URL: 'postgres://127.0.0.1:1/x',
    };
    const doctor = await runIds(cwd, ['doctor'], { environment });
    expect(doctor.stdout).toMatch(/^ok\tids\.config\.json\t/m);
    const needsServers = strategy.startsWith('segment') || ['snowflake', 'http'].includes(strategy);
    expect(doctor.code).toBe(needsServers ? 1 : 0);
  });

  it('leaves files that exist alone, unless told to write over them', async () => {
    await configure({ order: { strategy: 'gpid', port: 1 } });
    expect((await runIds(cwd, ['init', '--strategy', 'objectid'])).code).toBe(2);
    expect((await runIds(cwd, ['init', '--strategy', 'objectid', '--force'])).code).toBe(0);
  });

  it('writes no second config beside one of another kind', async () => {
    await writeFile(join(cwd, 'ids.config.yaml'), 'generators: { order: { strategy: objectid } }');
    const ran = await runIds(cwd, ['init', '--strategy', 'objectid', '--force']);
    expect(ran.code).toBe(2);
    expect(await readdir(cwd)).toEqual(['ids.config.yaml']);
  });

  it.each([
    [{}, ['IDS_DATABASE_URL', 'IDS_REDIS_URL']],
    [{ IDS_REDIS_URL: 'redis://r' }, ['IDS_DATABASE_URL']],
    [{ IDS_REDIS_URL: 'redis://r', IDS_DATABASE_URL: 'postgres://d/x' }, []],
  ])('asks for no variable that is set: %j', async (environment, asked) => {
    const { stdout } = await runIds(cwd, ['init', '--strategy', 'segment-redis-db'], { environment });
    expect(stdout.match(/\bIDS_\w+/g) ?? []).toEqual(asked);
  });
});

describe('ids doctor', () => {
  it('says of every value where it came from, and shows no secret', async () => {
    await configure(
      { order: { strategy: 'segment-redis-db', minStep: 5, encode: { as: 'hex', obfuscate: true } } },
      { database: 'postgres://ids:hunter2hunter2@127.0.0.1:1/x' },
    );
    const environment = {
      IDS_REDIS_URL: 'redis://:hunter2hunter2@127.0.0.1:1',
      IDS_ORDER_KEY: '000102030405060708090a0b0c0d0e0f',
      IDS_ORDR_STRATEGY: 'gpid',
    };
    const { code, stdout } = await runIds(cwd, ['doctor'], { environment });
    expect(code).toBe(1);
    expect(stdout).not.toContain('hunter2');
    expect(stdout).not.toContain('000102');
    for (const line of [
      'generators.order.minStep\t5\tids.config.json',
      'generators.order.encode.key\t***\tenvironment IDS_ORDER_KEY',
      'generators.order.maxStep\t1000000\tdefault',
      'generators.order.name\torder\tdefault',
    ]) {
      expect(stdout.split('\n')).toContain(line);
    }
    expect(stdout).toMatch(/^warning\tIDS_ORDR_STRATEGY\t/m);
    expect(stdout).toMatch(/^redis\tredis:\/\/\*\*\*@127\.0\.0\.1:1\tenvironment IDS_REDIS_URL$/m);
    expect(stdout).toMatch(/^wrong\tredis\t.*ECONNREFUSED/m);
    expect(stdout).toMatch(/^wrong\tdatabase\t.*ECONNREFUSED/m);
  });

  it('ends with 3 and lists everything when the config is wrong', async () => {
    await configure({
      order: { strategy: 'objectid', require: { type: 'number' } },
      event: { strategy: 'gpid' },
    });
    const { code, stdout } = await runIds(cwd, ['doctor', '--json']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout).checks.map(({ detail }: { detail: string }) => detail)).toEqual([
      expect.stringMatching(/^generators\.event: gpid: option "port": /),
      expect.stringMatching(/^generators\.order: objectid .*number.*segment-redis-db$/),
    ]);
  });
});

describe('ids swap', () => {
  it('compares a generator with a strategy, and says what changes', async () => {
    await configure({ order: { strategy: 'objectid' } });
    const { code, stdout } = await runIds(cwd, ['swap', '--from', 'order', '--to', 'gpid']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^change\twidth\t.*\b24\b.*\t.*\b139\b.*\t.+$/m);
    expect(stdout).toMatch(/^danger\t.*\tk-sorted\tnone\t.+$/m);
  });

  it('asks whose options to take when there are several generators', async () => {
    await configure({ a: { strategy: 'objectid' }, b: { strategy: 'gpid', port: 1 } });
    const { stderr } = await runIds(cwd, ['swap', '--from', 'objectid', '--to', 'gpid']);
    expect(stderr).toMatch(/--generator .*\ba, b\b/);
    expect((await runIds(cwd, ['swap', '--from', 'a', '--to', 'b'])).code).toBe(0);
    expect((await runIds(cwd, ['swap', '--from', 'a', '--to', 'snowflake'])).code).toBe(2);
  });
});

describe('an own strategy', () => {
  it('can stand beside the others', async () => {
    const guarantees = {
      ...objectid.guarantees({ layout: 'random', overflow: 'borrow' }),
      discloses: [],
    };
    const own = {
      ...objectid,
      name: 'own',
      create: async () => memoryGenerator({ strategy: 'own', guarantees, issue: () => 'a'.repeat(24) }),
    } as unknown as IdStrategy;
    await configure({ x: { strategy: 'own' } });
    expect((await runIds(cwd, ['next', 'x'], { strategies: [own] })).stdout).toBe(`${'a'.repeat(24)}\n`);
  });
});
