import { startFaultProxy } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-mariadb';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { fromMysqlUrl } from '../../src/sql/index.js';

/** How many sockets keep this process alive. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

it('lets the process end although a connection came after its caller had given up', async () => {
  const url = inject('mysqlUrl');
  const { hostname: host, port } = new URL(url);
  const proxy = await startFaultProxy({ target: { host, port: Number(port) } });
  onTestFinished(() => proxy.close());
  const executor = await fromMysqlUrl(proxy.url(url), { max: 1 });
  onTestFinished(() => executor.close());
  const before = sockets();
  await proxy.setMode('blackhole');
  const controller = new AbortController();
  const executing = executor.execute('SELECT 1', [], controller.signal);
  await vi.waitUntil(() => proxy.connections === 1, 60_000);
  controller.abort(new Error('given up'));
  await expect(executing).rejects.toThrow('given up');
  expect(sockets()).toBe(before + 1);
  await proxy.setMode('pass');
  await expect.poll(sockets, { timeout: 10_000 }).toBe(before);
  // That connection is still there, and is used.
  expect((await executor.execute('SELECT 1 AS one', [])).rows).toEqual([{ one: 1 }]);
  expect(proxy.connections).toBe(1);
});
