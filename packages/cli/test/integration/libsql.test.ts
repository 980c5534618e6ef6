import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLibsql } from '@ids/local-services';
import { expect, it, onTestFinished } from 'vitest';
import { runIds } from '../support/run-ids.js';

it('makes, checks and gives what a config names on a server of libSQL, and shows no token', async () => {
  const server = await startLibsql();
  onTestFinished(() => server.close());
  const cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const generators = {
    order: { strategy: 'segment-inproc', minStep: 10, maxStep: 10 },
    message: { strategy: 'segment-inproc', keyed: true, order: 'real-time' },
    event: { strategy: 'snowflake', startup: 'at-once' },
  };
  await writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ generators }));
  const environment = {
    IDS_DATABASE_URL: `libsql://${server.host}:${server.port}?tls=0&authToken=not.for.eyes`,
  };
  const ids = (...argv: string[]) => runIds(cwd, argv, { environment });
  expect((await ids('apply')).stdout).toMatch(/created .*sequence order/);
  expect((await ids('apply')).stdout).toBe('nothing to create\n');
  const doctor = await ids('doctor');
  expect(doctor.stdout).toMatch(/^ok\tdatabase\tSQLite 3\./m);
  expect(doctor.stdout).not.toMatch(/^wrong/m);
  expect(doctor.stdout).toContain('authToken=***');
  expect(doctor.stdout).not.toContain('not.for.eyes');
  expect((await ids('next', 'order', '-n', '2')).stdout).toBe('1\n2\n');
  expect((await ids('next', 'order')).stdout).toBe('11\n');
  expect((await ids('next', 'message', '--key', 'a')).stdout).toBe('1\n');
  expect((await ids('next', 'message', '--key', 'a')).stdout).toBe('2\n');
  const [first = '', second = ''] = (await ids('next', 'event', '-n', '2')).stdout.split('\n');
  expect(BigInt(second)).toBeGreaterThan(BigInt(first));
});

it.each([
  [
    'libsql://127.0.0.1?tls=0&authToken=not.for.eyes',
    3,
    'that @libsql/client accepts, which says URL_INVALID',
  ],
  ['libsql://127.0.0.1:1?tls=0&authToken=not.for.eyes', 1, 'fetch failed'],
])('says what is wrong with %s, and does not repeat its token', async (url, code, message) => {
  const cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const generators = { order: { strategy: 'segment-inproc' } };
  await writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ generators }));
  const ran = await runIds(cwd, ['next', 'order'], { environment: { IDS_DATABASE_URL: url } });
  expect(ran).toMatchObject({ code, stderr: expect.stringContaining(message) });
  expect(ran.stderr).not.toContain('not.for.eyes');
});
