import { readFileSync } from 'node:fs';
import { IdError } from '@ids/core';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import parse from 'parse-prometheus-text-format';
import { expect, it, onTestFinished } from 'vitest';
import { Access, type Client } from '../src/access.js';
import { handlerWith } from '../src/handler.js';
import { beside } from '../src/process/beside.js';
import { Metrics } from '../src/process/metrics.js';
import { Tallies } from '../src/tally.js';
import { newToken } from './support/tokens.js';

async function open(clients?: readonly Client[], Source = MemorySegmentSource) {
  const source = new Source({ order: {} });
  const { realm } = await source.describe('order');
  const generator = await createSegmentInprocGenerator({ name: 'order', source, deadlineMs: 100 });
  onTestFinished(() => generator.close());
  const generators = { order: { generator, realm, lease: { source, sequence: 'order' } } };
  const [access, tallies] = [new Access(clients), new Tallies()];
  const metrics = new Metrics(generators, tallies);
  const handler = handlerWith(
    { generators, onRequest: (request) => metrics.note(request) },
    { access, tallies },
  );
  const served = beside(metrics.watching(handler), metrics.servedTo(access));
  const post = (path: string, body: object) =>
    served(
      new Request(`http://ids${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
  const scrape = (token?: string) =>
    served(
      new Request(
        'http://ids/metrics',
        token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
      ),
    );
  const read = async () => {
    const text = await (await scrape()).text();
    const families = parse(text);
    return {
      text,
      families,
      /** The value of the one sample with these labels. */
      value: (name: string, labels: Readonly<Record<string, string>> = {}) => {
        const samples = families.find((family) => family.name === name)?.metrics ?? [];
        const found = samples.filter((one) =>
          Object.entries(labels).every(([label, text]) => one.labels?.[label] === text),
        );
        return found.length === 1 ? Number(found[0]?.value) : found;
      },
    };
  };
  return { post, scrape, read, generator };
}

const order = { idgen_sequence: 'order', idgen_strategy: 'segment-inproc' };

it('rise by what was issued, leased and refilled, and say how the generator is', async () => {
  const { post, read, generator } = await open();
  const before = await read();
  expect(before.value('idgen_id_issued_total', order)).toBe(0);
  expect(before.value('idgen_health_state', { state: 'not-ready' })).toBe(1);
  await post('/v1/ids', { calls: [{ generator: 'order', count: 3 }, { generator: 'order' }] });
  await post('/v1/leases', { generator: 'order', size: 50 });
  const { value, text } = await read();
  expect(value('idgen_id_issued_total', order)).toBe(4);
  expect(value('idgen_http_ids_total', { ...order, way: 'issued' })).toBe(4);
  expect(value('idgen_http_ids_total', { ...order, way: 'leased' })).toBe(50);
  expect(value('idgen_refill_count_total', order)).toBe(generator.counters?.().refills);
  expect(value('idgen_id_remaining', order)).toBe(generator.health().remaining);
  expect(value('idgen_health_state', { ...order, state: 'ok' })).toBe(1);
  expect(value('idgen_health_state', { ...order, state: 'not-ready' })).toBe(0);
  expect(value('idgen_http_requests_total', { path: '/v1/ids', status: '200' })).toBe(1);
  // The parser leaves out histograms with labels.
  expect(text).toContain('idgen_http_request_duration_seconds_count{path="/v1/leases"} 1\n');
});

it('count failures by code, and requests under way', async () => {
  let waiting: (() => void) | undefined;
  class FailingSource extends MemorySegmentSource {
    override reserve(): Promise<never> {
      waiting?.();
      return Promise.reject(new IdError('ERR_IDS_UNAVAILABLE', 'connection to secret-host refused'));
    }
  }
  const { post, read } = await open(undefined, FailingSource);
  const asked = new Promise<void>((resolve) => {
    waiting = resolve;
  });
  const answer = post('/v1/ids', { calls: [{ generator: 'order' }] });
  await asked;
  expect((await read()).value('idgen_http_requests_in_progress')).toBe(1);
  expect((await answer).status).toBe(503);
  const { value } = await read();
  expect(value('idgen_http_requests_in_progress')).toBe(0);
  expect(value('idgen_http_call_failures_total', { ...order, code: 'ERR_IDS_UNAVAILABLE' })).toBe(1);
  expect(value('idgen_health_state', { ...order, state: 'down' })).toBe(1);
  expect(value('idgen_backend_up', order)).toBe(0);
});

it('have no label that a client chooses', async () => {
  const { post, scrape } = await open();
  await post('/v1/ids', { calls: [{ generator: 'invented-name', key: 'invented-key' }] });
  await post('/v1/invented-path', {});
  const text = await (await scrape()).text();
  expect(text).not.toContain('invented');
  expect(text).toContain('idgen_http_requests_total{path="other",status="404"} 1');
});

it('follow the naming rules of Prometheus, and have what the alert rules of @ids/segment ask for', async () => {
  const { families } = await (await open()).read();
  const own = families.filter(({ name }) => name.startsWith('idgen_'));
  for (const { name, type, help } of own) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(name.endsWith('_total'), name).toBe(type === 'COUNTER');
    expect(name).not.toMatch(/_ms$|milli|_count$/);
    expect(help).not.toBe('');
  }
  const names = own.map(({ name }) => name);
  const rules = readFileSync(new URL('../../segment/monitoring/alerts.yaml', import.meta.url), 'utf8');
  const asked = Array.from(
    rules.matchAll(/(?<=[ (~"])idgen_(?:\w|\(_\w+\)\?)+(?=[[ "])/g),
    ([text]) => new RegExp(`^${text}$`),
  );
  expect(asked.length).toBeGreaterThan(6);
  for (const pattern of asked)
    expect(
      names.some((name) => pattern.test(name)),
      String(pattern),
    ).toBe(true);
});

it('are read by clients that may read all generators', async () => {
  const [all, some] = [newToken(), newToken()];
  const { scrape } = await open([
    { name: 'prometheus', tokens: [all.hash], rights: ['read'] },
    { name: 'shop', tokens: [some.hash], rights: ['issue'], generators: ['ticket'] },
  ]);
  const statuses = [undefined, some.token, all.token].map(async (token) => (await scrape(token)).status);
  expect(await Promise.all(statuses)).toEqual([401, 403, 200]);
  const { headers } = await scrape(all.token);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
});
