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
  it.each([
    [[], 2, ''],
    [
      ['nxt'],
      2,
      `ids: unknown command 'nxt'\nids: (Did you mean next?)\nids: npx --no -- ids --help shows the options\n`,
    ],
    [
      ['next'],
      2,
      `ids: missing required argument 'generator'\nids: npx --no -- ids next --help shows the options\n`,
    ],
    [
      ['next', 'order', '-n', '0'],
      2,
      `ids: option '-n, --count <n>' argument '0' is invalid. It must be a whole number from 1 to 1000000.\nids: npx --no -- ids next --help shows the options\n`,
    ],
    [
      ['next', 'order', '--cuont=2'],
      2,
      'ids: unknown option "--cuont" (did you mean "--count"? known: --count, --key, --as, --form, --prefix, --cwd, --strategies, --json, --version)\nids: npx --no -- ids next --help shows the options\n',
    ],
    [
      ['next', 'order', '-n', '-3'],
      2,
      `ids: option '-n, --count <n>' argument '-3' is invalid. It must be a whole number from 1 to 1000000.\nids: npx --no -- ids next --help shows the options\n`,
    ],
    [
      ['floor', 'order', '-5'],
      2,
      `ids: command-argument value '-5' is invalid for argument 'floor'. It must be a whole number from 0 to 9007199254740991.\nids: npx --no -- ids floor --help shows the options\n`,
    ],
    [
      ['next', '--cwd'],
      2,
      `ids: option '--cwd <dir>' argument missing\nids: npx --no -- ids --help shows the options\n`,
    ],
    [
      ['next', '--', '--json', '--help'],
      2,
      `ids: too many arguments for 'next'. Expected 1 argument but got 2.\nids: npx --no -- ids next --help shows the options\n`,
    ],
    [
      ['next', 'order', 'user'],
      2,
      `ids: too many arguments for 'next'. Expected 1 argument but got 2.\nids: npx --no -- ids next --help shows the options\n`,
    ],
    [
      ['swap', '--from', 'order'],
      2,
      `ids: required option '--to <name>' not specified\nids: npx --no -- ids swap --help shows the options\n`,
    ],
    [
      ['init'],
      2,
      'ids: --strategy is required without a terminal (objectid, uuid7, gpid, segment-inproc, segment-redis-db, snowflake, http)\nids: npx --no -- ids init --help shows the options\n',
    ],
  ] as const)('ends %j with %d and says why on standard error', async (argv, code, stderr) => {
    const ran = await runIds(cwd, argv);
    expect(ran).toMatchObject({ code, stdout: '' });
    if (stderr !== '') expect(ran.stderr).toBe(stderr);
    else
      for (const command of ['next', 'inspect', 'doctor', 'init', 'apply', 'swap', 'floor'])
        expect(ran.stderr).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
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

  it('says that there is no such command to help with', async () => {
    const { code, stderr } = await runIds(cwd, ['help', 'nxt']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'ids: unknown command "nxt" (did you mean "next"? known: next, inspect, doctor, init, apply, swap, migrate, floor, gaps, explain, completion, skill, help)\n' +
        'ids: npx --no -- ids --help shows the options\n',
    });
  });

  it('tells every option of a command when asked', async () => {
    const { stdout } = await runIds(cwd, ['swap', '--help']);
    for (const option of ['--from', '--to', '--column', '--generator', '--json', '--cwd', '--strategies'])
      expect(stdout).toMatch(new RegExp(`^  ${option} `, 'm'));
  });

  it.each(['doctor', 'swap', 'apply', 'floor'])(
    'ends %s with 3 where there is no config',
    async (command) => {
      const argv =
        {
          doctor: ['doctor'],
          swap: ['swap', '--from', 'a', '--to', 'b'],
          apply: ['apply'],
          floor: ['floor', 'a'],
        }[command] ?? [];
      expect(await runIds(cwd, argv)).toEqual({
        code: 3,
        stdout: '',
        stderr: `ids: there is no ids.config.{ts,js,json,yaml} in ${cwd}\n`,
      });
    },
  );
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
    expect(stderr).toMatch(
      /^ids: warning: ids\.config\.json .*"generators\.order\.strategy".*\nids: warning: IDS_ORDR_STRATEGY .*\n$/,
    );
  });

  it.each([
    ['segment-redis-db', {}, 'IDS_REDIS_URL and IDS_DATABASE_URL'],
    ['segment-redis-db', { IDS_DATABASE_URL: 'postgres://db/x' }, 'IDS_REDIS_URL'],
    ['segment-redis-db', { IDS_REDIS_URL: 'redis://r' }, 'IDS_DATABASE_URL'],
    ['segment-inproc', {}, 'IDS_DATABASE_URL'],
  ])('names the variables that %s lacks beside %j', async (strategy, environment, variables) => {
    await configure({ order: { strategy } });
    const { code, stderr } = await runIds(cwd, ['next', 'order'], { environment });
    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`^ids: generators\\.order: ${strategy}: .*; set ${variables}\n$`));
  });

  it('names the generators there are', async () => {
    await configure({ order: { strategy: 'objectid' } });
    expect(await runIds(cwd, ['next', 'ordr'])).toMatchObject({
      code: 3,
      stderr: 'ids: unknown generator "ordr" (did you mean "order"? known: order, objectid, uuid7, gpid)\n',
    });
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

  it.each([
    [
      ['order'],
      3,
      '; without one, ids next accepts objectid, uuid7, gpid, got "order". To write one: npx --no',
    ],
    [
      ['snowflake'],
      3,
      'strategy snowflake needs a database, or a file of SQLite, and so a generator in a config',
    ],
    [
      ['segment-redis-db'],
      3,
      'needs Redis, and Postgres or MySQL, and so a generator in a config: npx --no --',
    ],
    [
      ['http'],
      3,
      'strategy http needs a server of IDs, and so a generator in a config: npx --no -- ids init',
    ],
    [['uuid7', '--as', 'base63'], 2, 'Allowed choices are decimal, hex, base62, crockford.'],
    [['objectid', '--form', 'typeid'], 2, 'encode: '],
    [['uuid7', '--key', 'a'], 3, 'uuid7 issues IDs of one sequence: leave --key out'],
  ] as const)('says of %j what would be accepted', async (argv, code, message) => {
    const ran = await runIds(cwd, ['next', ...argv]);
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('leaves a name to the config that has a generator of it, and no other', async () => {
    await configure({ uuid7: { strategy: 'objectid' } });
    expect((await runIds(cwd, ['next', 'uuid7'])).stdout).toMatch(/^[0-9a-f]{24}\n$/);
    expect((await runIds(cwd, ['next', 'gpid'])).stdout).toContain(';run=');
    expect(await runIds(cwd, ['next', 'uuid7', '--as', 'hex'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '--as is for a strategy, and generators.uuid7 writes its IDs as the config',
      ),
    });
    expect(await runIds(cwd, ['next', 'snowflake'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        'the config has no generator "snowflake", and strategy snowflake needs',
      ),
    });
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
    expect(ran.stderr).toContain('ids: read without a config: there is no ids.config');
  });

  it('ends with 1 for a text that no strategy gives', async () => {
    await configure({ event: { strategy: 'reading' } });
    expect(await runIds(cwd, ['inspect', 'nonsense'], { strategies: [reading] })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ids: no strategy here issues IDs like "nonsense"\n',
    });
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
    expect(stderr).toContain(`ids: no strategy here issues IDs like "${id}"\n`);
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
    expect(stdout).toContain('then: npx --no -- ids next bill\n');
    expect(JSON.parse(await readFile(join(cwd, 'ids.config.json'), 'utf8'))).toMatchObject({
      $schema: './ids.schema.json',
      generators: { bill: { strategy } },
    });
    const environment = {
      IDS_REDIS_URL: 'redis://127.0.0.1:1',
      IDS_DATABASE_URL: 'postgres://127.0.0.1:1/x',
    };
    const doctor = await runIds(cwd, ['doctor'], { environment });
    expect(doctor.stdout).toContain('ok\tids.config.json\tvalid, and all requirements are met\n');
    const needsServers = strategy.startsWith('segment') || ['snowflake', 'http'].includes(strategy);
    expect(doctor.code).toBe(needsServers ? 1 : 0);
  });

  it('leaves files that exist alone, unless told to write over them', async () => {
    await configure({ order: { strategy: 'gpid', port: 1 } });
    expect(await runIds(cwd, ['init', '--strategy', 'objectid'])).toMatchObject({
      code: 2,
      stderr:
        'ids: ids.config.json exists: overwrite with --force, or create what the config needs with npx --no -- ids apply\nids: npx --no -- ids init --help shows the options\n',
    });
    expect((await runIds(cwd, ['init', '--strategy', 'objectid', '--force'])).code).toBe(0);
  });

  it('writes no second config beside one of another kind', async () => {
    await writeFile(join(cwd, 'ids.config.yaml'), 'generators: { order: { strategy: objectid } }');
    const ran = await runIds(cwd, ['init', '--strategy', 'objectid', '--force']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(
      'ids: ids.config.yaml exists: create what it needs with npx --no -- ids apply,',
    );
    expect(await readdir(cwd)).toEqual(['ids.config.yaml']);
  });

  it.each([
    [{}, ['set IDS_DATABASE_URL to a postgres:// URL', 'set IDS_REDIS_URL to a redis:// URL']],
    [{ IDS_REDIS_URL: 'redis://r' }, ['set IDS_DATABASE_URL to a postgres:// URL']],
    [{ IDS_REDIS_URL: 'redis://r', IDS_DATABASE_URL: 'postgres://d/x' }, []],
  ])('asks for no variable that is set: %j', async (environment, asked) => {
    const { stdout } = await runIds(cwd, ['init', '--strategy', 'segment-redis-db'], { environment });
    expect(stdout.split('\n').filter((line) => line.startsWith('set '))).toEqual(asked);
  });

  it.each([
    ['objectid', [], 2, '--apply has nothing to create: objectid needs no database'],
    ['segment-redis-db', [], 3, '--apply needs a database: set IDS_DATABASE_URL; nothing was written'],
    [
      'segment-inproc',
      ['--database', 'mysql'],
      3,
      '--apply needs a database: set IDS_DATABASE_URL; nothing was written',
    ],
  ])('writes nothing where --apply cannot work with %s %j', async (strategy, more, code, message) => {
    const ran = await runIds(cwd, ['init', '--strategy', strategy, '--apply', ...more]);
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(`ids: ${message}\n`) });
    expect(await readdir(cwd)).toEqual([]);
  });

  it('names the strategies there are', async () => {
    expect((await runIds(cwd, ['init', '--strategy', 'serial'])).stderr).toContain(
      'ids: unknown strategy "serial" (known: objectid, uuid7, gpid, segment-inproc, segment-redis-db, snowflake, http)\n',
    );
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
    expect(stdout).toMatch(/^change\twidth\t24 characters\t139 characters\t.+$/m);
    expect(stdout).toMatch(/^danger\torder across processes\tk-sorted\tnone\t.+$/m);
    expect(stdout).toContain('floor\tnone needed\n');
  });

  it('asks whose options to take when there are several generators', async () => {
    await configure({ a: { strategy: 'objectid' }, b: { strategy: 'gpid', port: 1 } });
    expect((await runIds(cwd, ['swap', '--from', 'objectid', '--to', 'gpid'])).stderr).toContain(
      'ids: objectid needs the options of a generator: name one with --generator (a, b)\n',
    );
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
