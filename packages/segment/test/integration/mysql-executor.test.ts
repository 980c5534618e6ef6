import { Socket } from 'node:net';
import { startFaultProxy } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-mariadb';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { fromMysqlUrl } from '../../src/sql/index.js';

/** How many connections to this port keep this process alive. */
function connectionsTo(port: string): number {
  // Not `getActiveResourcesInfo`, which cannot tell them from sockets of other tests.
  const { _getActiveHandles } = process as unknown as { _getActiveHandles(): unknown[] };
  const handles = _getActiveHandles.call(process);
  return handles.filter((handle) => handle instanceof Socket && handle.remotePort === Number(port)).length;
}

it('lets the process end although a connection came after its caller had given up', async () => {
  const url = inject('mysqlUrl');
  const { hostname: host, port } = new URL(url);
  const proxy = await startFaultProxy({ target: { host, port: Number(port) } });
  onTestFinished(() => proxy.close());
  const executor = await fromMysqlUrl(proxy.url(url), { max: 1 });
  onTestFinished(() => executor.close());
  const sockets = () => connectionsTo(new URL(proxy.url(url)).port);
  await proxy.setMode('blackhole');
  const controller = new AbortController();
  const executing = executor.execute('SELECT 1', [], controller.signal);
  await vi.waitUntil(() => proxy.connections === 1, 60_000);
  controller.abort(new Error('given up'));
  await expect(executing).rejects.toThrow('given up');
  expect(sockets()).toBe(1);
  await proxy.setMode('pass');
  await expect.poll(sockets, { timeout: 10_000 }).toBe(0);
  // That connection is still there, and is used.
  expect((await executor.execute('SELECT 1 AS one', [])).rows).toEqual([{ one: 1 }]);
  expect(proxy.connections).toBe(1);
});
