import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Ran, runIds } from './support/run-ids.js';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function open(generators: object) {
  const folder = await emptyFolder();
  const database = `sqlite:${join(folder, 'ids.db')}`;
  await writeFile(join(folder, 'ids.config.json'), JSON.stringify({ database, generators }));
  return Object.assign((...argv: string[]): Promise<Ran> => runIds(folder, argv), { folder });
}

const KEYED = { strategy: 'segment-inproc', keyed: true, order: 'real-time' };
const INPROC = { strategy: 'segment-inproc', minStep: 10, maxStep: 10 };

describe('ids on a file of SQLite', () => {
  it('makes what a config needs, and gives, shows and raises its ids', async () => {
    const ids = await open({ order: { ...INPROC, log: true } });
    expect((await ids('apply', '--dry-run')).stdout).toContain('RAISE(ABORT');
    expect(await ids('apply')).toMatchObject({
      stdout:
        'created table id_segment\ncreated grant log id_segment_log\ncreated sequence order in table id_segment\n',
      stderr: '',
    });
    expect((await ids('apply')).stdout).toBe('nothing to create\n');
    expect((await ids('next', 'order', '-n', '2')).stdout).toBe('1\n2\n');
    expect((await ids('inspect', '2')).stdout).toMatch(/segment\t1\.\.10/);
    expect((await ids('floor', 'order', '500')).stdout).toMatch(/was raised from \d+ to 500/);
    expect((await ids('next', 'order')).stdout).toBe('501\n');
  });

  it('is checked by doctor, which says what no check can notice', async () => {
    const ids = await open({ order: INPROC });
    expect(await ids('doctor')).toMatchObject({ code: 1 });
    await ids('apply');
    const { stdout, code } = await ids('doctor');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok\tdatabase\tSQLite 3\./m);
    expect(stdout).toMatch(/^warning\tsequence order\ta backup that is copied into the file/m);
    expect(stdout).not.toMatch(/^wrong/m);
  });

  it.each([
    ['doctor'],
    ['floor', 'order', '500'],
    ['migrate', 'order', '--from', 'bigserial', '--table', 'a'],
    ['gaps', '--table', 'a', '--column', 'b'],
  ])('is not made by ids %s, which says that there is none', async (...argv) => {
    const ids = await open({ order: INPROC, event: { strategy: 'snowflake' } });
    const { code, stdout, stderr } = await ids(...argv);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/there is no file \S+ids\.db/);
    expect(await readdir(ids.folder)).not.toContain('ids.db');
  });

  it('makes slots of snowflakes, and checks, gives and shows their ids', async () => {
    const ids = await open({ order: { strategy: 'snowflake', log: true, startup: 'at-once' } });
    expect((await ids('apply')).stdout).toBe(
      'created table id_slot\ncreated grant log id_slot_log\ncreated slots order in table id_slot, layout 41+10+12\n',
    );
    expect((await ids('apply')).stdout).toBe('nothing to create\n');
    const [first = '', second = ''] = (await ids('next', 'order', '-n', '2')).stdout.split('\n');
    expect(BigInt(second)).toBeGreaterThan(BigInt(first));
    const inspected = await ids('inspect', first);
    expect(inspected.stdout).toMatch(/^slot\t0\t/m);
    expect(inspected.stdout).toMatch(/owner\t\S+:\d+/);
    const checked = await ids('doctor');
    expect(checked.code).toBe(0);
    expect(checked.stdout).toMatch(/^ok\tslots order\t1024 of the layout 41\+10\+12/m);
    expect(checked.stdout).not.toMatch(/^wrong/m);
    expect(await ids('floor', 'order', '500')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('snowflake takes no IDs from a sequence'),
    });
  });

  it('numbers by key, and shows, raises and inspects one key', async () => {
    const ids = await open({ message: { ...KEYED, log: true } });
    expect((await ids('apply', '--dry-run')).stdout).toContain('id_segment_key_log');
    expect((await ids('apply')).stdout).toBe(
      'created table id_segment\ncreated key table id_segment_key\ncreated grant log id_segment_key_log\ncreated family message in table id_segment\n',
    );
    expect((await ids('apply')).stdout).toBe('nothing to create\n');
    const doctor = await ids('doctor');
    expect(doctor.code).toBe(0);
    expect(doctor.stdout).not.toMatch(/^wrong/m);
    expect((await ids('next', 'message', '--key', 'group:42', '-n', '2')).stdout).toBe('1\n2\n');
    expect((await ids('floor', 'message', '--key', 'group:42')).stdout).toMatch(/\b2\b/);
    expect((await ids('floor', 'message', '1000', '--key', 'group:42')).stdout).toMatch(/from 2 to 1000/);
    expect((await ids('next', 'message', '--key', 'group:42')).stdout).toBe('1001\n');
    expect((await ids('next', 'message', '--key', 'group:43')).stdout).toBe('1\n');
    expect((await ids('inspect', '2', '--key', 'group:42')).stdout).toMatch(/segment\t1\.\.2/);
  });
});

describe('ids init with a file of SQLite', () => {
  it.each(['segment-inproc', 'snowflake'])('is what %s gets without a server', async (strategy) => {
    const folder = await emptyFolder();
    const { code, stdout } = await runIds(folder, ['init', '--strategy', strategy, '--apply']);
    expect(code).toBe(0);
    expect(stdout).toContain('sqlite:ids.db is for the processes of one machine; for several, use a server');
    expect(stdout).toContain('created ');
    expect(await readdir(folder)).toContain('ids.db');
    expect(await readFile(join(folder, 'ids.sql'), 'utf8')).toContain('RAISE(ABORT');
    expect((await runIds(folder, ['next', 'order'])).stdout).toMatch(/^[1-9]\d*\n$/);
    expect((await runIds(folder, ['apply'])).stdout).toBe('nothing to create\n');
  });

  it('gives way to what the environment names, and to --database', async () => {
    const folder = await emptyFolder();
    const environment = { IDS_DATABASE_URL: 'mysql://127.0.0.1:1/x' };
    const init = ['init', '--strategy', 'segment-inproc', '--force'];
    await runIds(folder, init, { environment });
    expect(await readFile(join(folder, 'ids.config.json'), 'utf8')).not.toContain('"database": "');
    expect(await readFile(join(folder, 'ids.sql'), 'utf8')).toContain('ENGINE = InnoDB');
    const { stdout } = await runIds(folder, [...init, '--database', 'postgres']);
    expect(stdout).toContain('set IDS_DATABASE_URL to a postgres:// URL\n');
    expect(await readFile(join(folder, 'ids.sql'), 'utf8')).toContain('plpgsql');
  });

  it.each([
    ['objectid', 'sqlite', {}, '--database sqlite: objectid needs no database'],
    ['segment-redis-db', 'sqlite', {}, 'segment-redis-db is for several machines, which cannot share a file'],
    ['snowflake', 'sqlite3', {}, 'unknown database "sqlite3" (did you mean "sqlite"?'],
    [
      'snowflake',
      'sqlite',
      { IDS_DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      'IDS_DATABASE_URL is set and names another database',
    ],
    [
      'snowflake',
      'sqlite',
      { IDS_DATABASE_URL_FILE: '/run/secrets/url' },
      'IDS_DATABASE_URL_FILE is set and names another database',
    ],
  ])('%s: refuses %s with %j', async (strategy, kind, environment, message) => {
    const folder = await emptyFolder();
    const ran = await runIds(folder, ['init', '--strategy', strategy, '--database', kind], { environment });
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(await readdir(folder)).toEqual([]);
  });
});
