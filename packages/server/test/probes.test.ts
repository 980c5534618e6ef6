import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { expect, it, onTestFinished } from 'vitest';
import { beside } from '../src/process/beside.js';
import { probesOf } from '../src/process/probes.js';

it('are ready as long as every generator can issue ids, and pass other requests on', async () => {
  const name = 'order';
  const generator = await createSegmentInprocGenerator({
    name,
    source: new MemorySegmentSource({ order: {} }),
  });
  onTestFinished(() => generator.close());
  const handler = beside(async () => new Response('other'), probesOf({ order: { generator } }));
  const ask = async (path: string) => {
    const response = await handler(new Request(`http://ids${path}`));
    return [response.status, await response.text()];
  };
  const readiness = (status: string, order: string) => JSON.stringify({ status, generators: { order } });
  expect(await ask('/readyz')).toEqual([200, readiness('ready', 'ok')]);
  await generator.close();
  expect(await ask('/readyz')).toEqual([503, readiness('not-ready', 'closed')]);
  expect(await ask('/healthz')).toEqual([200, JSON.stringify({ status: 'ok' })]);
  expect(await ask('/v1/ids')).toEqual([200, 'other']);
});
