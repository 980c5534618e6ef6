import { connect } from 'node:net';
import { openPostgresPool, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it } from 'vitest';
import { createTable } from '../support/sequence.js';
import { type ServerProcess, startServer } from '../support/start-server.js';

const database = inject('databaseUrl');

/** A server with a request that it has accepted, and that waits for a locked row. */
async function withWaitingRequest(
  args: readonly string[],
  use: (server: ServerProcess, answer: Promise<Response>, unlock: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const table = uniqueName('draining');
  await (await createTable(database, table)).createSequence('order');
  const order = { strategy: 'segment-inproc', table, order: 'real-time' };
  await using server = await startServer({ database, generators: { order } }, ['--port', '0', ...args]);
  const pool = openPostgresPool(database, { max: 2 });
  const lock = await pool.connect();
  try {
    await lock.query('BEGIN');
    await lock.query(`SELECT 1 FROM ${table} FOR UPDATE`);
    const answer = fetch(`${server.url}/v1/ids`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ calls: [{ generator: 'order' }] }),
    });
    answer.catch(() => undefined);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${table}%'`;
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
    await use(server, answer, async () => void (await lock.query('ROLLBACK')));
  } finally {
    lock.release(true);
    await pool.end();
  }
}

/** Whether the port is open. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => resolve(false)).on('connect', () => resolve(true) ?? socket.destroy());
  });
}

it('answers what it accepted before SIGTERM, and nothing that comes later', async () => {
  await withWaitingRequest([], async (server, answer, unlock) => {
    server.signal('SIGTERM');
    await expect.poll(() => accepts(server.port)).toBe(false);
    await unlock();
    const response = await answer;
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toMatchObject({ results: [{ ids: ['1'] }] });
    expect(await server.ended).toBe(0);
  });
});

it('answers the rest with 503 when the time to drain is over', async () => {
  await withWaitingRequest(['--drain-seconds', '0'], async (server, answer) => {
    server.signal('SIGTERM');
    const response = await answer;
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'ERR_IDS_UNAVAILABLE' }]);
    expect(await server.ended).toBe(1);
    expect(server.log.at(-1)).toMatchObject({ msg: 'ended', inTime: false });
  });
});

it('ends at once on a second Ctrl-C', async () => {
  await withWaitingRequest(['--drain-seconds', '3600'], async (server, answer) => {
    server.signal('SIGINT');
    await expect.poll(() => server.log.some(({ msg }) => msg === 'draining')).toBe(true);
    server.signal('SIGINT');
    expect(await server.ended).toBe(130);
    await expect(answer).rejects.toThrow();
  });
});
