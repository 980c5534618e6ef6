import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { madeBy, type Ran, runIds } from './support/run-ids.js';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function open(generators: object) {
  const folder = await emptyFolder();
  const database = `sqlite:${join(folder, 'ids.db')}`;
  await writeFile(join(folder, 'ids.config.json'), JSON.stringify({ database, generators }));
  return (...argv: string[]): Promise<Ran> => runIds(folder, argv);
}

const KEYED = { strategy: 'segment-inproc', keyed: true, order: 'real-time' };
const INPROC = { strategy: 'segment-inproc', minStep: 10, maxStep: 10 };

describe('ids on a file of SQLite', () => {
  it('makes what a config needs, and gives, shows and raises its ids', async () => {
    const ids = await open({ order: { ...INPROC, log: true } });
    expect((await ids('apply', '--dry-run')).stdout).toContain('RAISE(ABORT');
    const applied = await ids('apply', '--json');
    expect(madeBy(applied)).toEqual([
      'table id_segment',
      'grant log id_segment_log',
      'sequence order in table id_segment',
    ]);
    // It tells nothing else, such as that the grant log could not be read.
    expect(applied.stderr.split('\n').filter((line) => !/^(ids: created .*)?$/.test(line))).toEqual([]);
    expect(madeBy(await ids('apply', '--json'))).toEqual([]);
    expect((await ids('next', 'order', '-n', '2')).stdout).toBe('1\n2\n');
    expect((await ids('inspect', '2')).stdout).toMatch(/segment\t1\.\.10/);
    expect((await ids('floor', 'order', '500')).stdout).toMatch(/\b500\b/);
    expect((await ids('next', 'order')).stdout).toBe('501\n');
  });

  it('is checked by doctor, which says what no check can notice', async () => {
    const ids = await open({ order: INPROC });
    const missing = await ids('doctor');
    expect(missing.stdout).toMatch(/^wrong\ttable id_segment\t/m);
    expect(missing.code).toBe(1);
    await ids('apply');
    const { stdout, code } = await ids('doctor');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok\tdatabase\tSQLite 3\./m);
    expect(stdout).toMatch(/^warning\tsequence order\t/m);
    expect(stdout).not.toMatch(/^wrong/m);
  });

  it('makes slots of snowflakes, and checks, gives and shows their ids', async () => {
    const ids = await open({ order: { strategy: 'snowflake', log: true, startup: 'at-once' } });
    expect(madeBy(await ids('apply', '--json'))).toEqual([
      'table id_slot',
      'grant log id_slot_log',
      'slots order in table id_slot, layout 41+10+12',
    ]);
    expect(madeBy(await ids('apply', '--json'))).toEqual([]);
    const [first = '', second = ''] = (await ids('next', 'order', '-n', '2')).stdout.split('\n');
    expect(BigInt(second)).toBeGreaterThan(BigInt(first));
    const inspected = await ids('inspect', first);
    expect(inspected.stdout).toMatch(/^slot\t0\t/m);
    expect(inspected.stdout).toMatch(/owner\t\S+:\d+/);
    const checked = await ids('doctor');
    expect(checked.code).toBe(0);
    expect(checked.stdout).toMatch(/^ok\tslots order\t.*\b1024\b.*41\+10\+12/m);
    expect(checked.stdout).not.toMatch(/^wrong/m);
    expect((await ids('floor', 'order', '500')).code).toBe(3);
  });

  it('numbers by key, and shows, raises and inspects one key', async () => {
    const ids = await open({ message: { ...KEYED, log: true } });
    expect((await ids('apply', '--dry-run')).stdout).toContain('id_segment_key_log');
    expect(madeBy(await ids('apply', '--json'))).toEqual([
      'table id_segment',
      'key table id_segment_key',
      'grant log id_segment_key_log',
      'family message in table id_segment',
    ]);
    expect(madeBy(await ids('apply', '--json'))).toEqual([]);
    const doctor = await ids('doctor');
    expect(doctor.code).toBe(0);
    expect(doctor.stdout).not.toMatch(/^wrong/m);
    expect((await ids('next', 'message', '--key', 'group:42', '-n', '2')).stdout).toBe('1\n2\n');
    expect((await ids('floor', 'message', '--key', 'group:42')).stdout).toMatch(/\b2\b/);
    expect((await ids('floor', 'message', '1000', '--key', 'group:42')).stdout).toMatch(/\b1000\b/);
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
    expect(stdout).toContain('sqlite:ids.db');
    expect(await readdir(folder)).toContain('ids.db');
    expect(await readFile(join(folder, 'ids.sql'), 'utf8')).toContain('RAISE(ABORT');
    expect((await runIds(folder, ['next', 'order'])).stdout).toMatch(/^[1-9]\d*\n$/);
    expect(madeBy(await runIds(folder, ['apply', '--json']))).toEqual([]);
  });

  it('gives way to what the environment names, and to --database', async () => {
    const folder = await emptyFolder();
    const environment = { IDS_DATABASE_URL: 'mysql://127.0.0.1:1/x' };
    const init = ['init', '--strategy', 'segment-inproc', '--force'];
    await runIds(folder, init, { environment });
    expect(await readFile(join(folder, 'ids.config.json'), 'utf8')).not.toContain('"database": "');
    expect(await readFile(join(folder, 'ids.sql'), 'utf8')).toContain('ENGINE = InnoDB');
    const { stdout } = await runIds(folder, [...init, '--database', 'postgres']);
    expect(stdout).toMatch(/IDS_DATABASE_URL .*postgres:/);
    expect(await readFile(join(folder, 'ids.sql'), 'utf8')).toContain('plpgsql');
  });
});
