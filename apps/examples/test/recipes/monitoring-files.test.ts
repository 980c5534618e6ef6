import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { IdGenerator } from '@ids/core';
import { type MeterLike, observeSegments } from '@ids/segment/otel';
import { createSequence, ensureSchema, openDatabase } from '@ids/segment/sql';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { metricsRoute } from '../../src/recipes/prometheus.js';

/** Beside the manifest, as users find them. */
const manifest = createRequire(import.meta.url).resolve('@ids/segment/package.json');
const read = (file: string) => readFileSync(join(dirname(manifest), 'monitoring', file), 'utf8');

/** Counts all that there is to count, and knows all that there is to know. */
const generator = {
  strategy: 'any',
  counters: () =>
    Object.fromEntries(
      [
        ...['idsIssued', 'idsDiscarded', 'refills', 'refillSeconds', 'refillFailures', 'regressions'],
        ...['waits', 'waitSeconds', 'notReady', 'takes', 'stateLosses', 'timeouts', 'newKeys'],
      ].map((name) => [name, 1]),
    ),
  health: () => ({ status: 'ok', remaining: 1, secondsLeft: 1, exhaustedAt: new Date(Date.now() + 1e6) }),
} as unknown as IdGenerator;

/** What the exporter for Prometheus serves. */
async function scraped(order: IdGenerator): Promise<string> {
  const { listener, end } = metricsRoute({ order });
  await using server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await end();
  return text;
}

/** The type of each metric there. */
async function served(): Promise<Map<string, string>> {
  const text = await scraped(generator);
  return new Map(
    Array.from(text.matchAll(/^# TYPE (idgen_\S+) (\S+)$/gm), ([, name = '', type = '']) => [name, type]),
  );
}

/**
 * The same by the names that the OpenTelemetry Collector gives, with the unit:
 * https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/.
 */
function collected(): Map<string, string> {
  const types = new Map<string, string>();
  const instrument = { addCallback: () => {} };
  const named =
    (type: 'counter' | 'gauge') =>
    (name: string, { unit }: { readonly unit: string }) => {
      const suffix = unit === 's' ? '_seconds' : unit === '1' ? '_ratio' : '';
      types.set(`${name.replaceAll('.', '_')}${suffix}${type === 'counter' ? '_total' : ''}`, type);
      return instrument;
    };
  const meter: MeterLike = {
    createObservableCounter: named('counter'),
    createObservableGauge: named('gauge'),
    addBatchObservableCallback: () => {},
    removeBatchObservableCallback: () => {},
  };
  observeSegments(meter, {});
  return types;
}

/** Each name in `query`, as the exporter and as the Collector write it. */
function namesIn(query: string): { plain: string; withUnit: string }[] {
  return Array.from(query.matchAll(/idgen_(?:\w|\(_\w+\)\?)+/g), ([name]) => ({
    plain: name.replaceAll(/\(_\w+\)\?/g, ''),
    withUnit: name.replaceAll(/[()?]/g, ''),
  })).filter(({ plain }) => !['idgen_sequence', 'idgen_strategy'].includes(plain));
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}
const { groups } = parse(read('alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(read('dashboard.json')) as {
  panels: Panel[];
  templating: { list: { name: string; definition?: string }[] };
};
const queries = [
  ...rules.map(({ alert, expr }) => ({ from: alert, expr })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ from: title, expr })),
  ),
  ...dashboard.templating.list.flatMap(({ name, definition }) =>
    definition === undefined ? [] : [{ from: name, expr: definition }],
  ),
];

describe('the alert rules and the dashboard', () => {
  let exporter: Map<string, string>;
  const collector = collected();
  beforeAll(async () => {
    exporter = await served();
  });

  it.each(queries)('name metrics that are exported: $from, $expr', ({ expr }) => {
    expect(namesIn(expr).length).toBeGreaterThan(0);
    for (const { plain, withUnit } of namesIn(expr)) {
      expect([...exporter.keys()]).toContain(plain);
      expect([...collector.keys()]).toContain(withUnit);
      expect(collector.get(withUnit)).toBe(exporter.get(plain));
    }
  });

  it.each(queries)('take the rate of counters, and the value of gauges: $from, $expr', ({ expr }) => {
    const counted = Array.from(
      expr.matchAll(/(?:rate|increase)\(([^[]+)\[/g),
      ([, selector = '']) => selector,
    );
    for (const { plain } of counted.flatMap(namesIn)) expect(exporter.get(plain)).toBe('counter');
    if (/_up|_remaining/.test(expr)) expect(counted).toEqual([]);
  });

  it('page when a database is gone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ids-alerts-'));
    const database = `sqlite:${join(folder, 'ids.db')}`;
    const executor = await openDatabase(database);
    await ensureSchema(executor);
    await createSequence(executor, 'order');
    await executor.close();
    await using ids = await createSegmentInprocGenerator({ name: 'order', database, deadlineMs: 100 });
    rmSync(folder, { recursive: true });
    await expect(ids.next()).rejects.toMatchObject({ retryable: true });
    const text = await scraped(ids);
    const isZero = ({ plain }: { plain: string }) => new RegExp(`^${plain}\\{.*\\} 0$`, 'm').test(text);
    const paging = rules.filter(({ labels, expr }) => labels.severity === 'page' && expr.endsWith('== 0'));
    expect(paging.map(({ expr }) => namesIn(expr).map(isZero))).toEqual([[true, true]]);
  });

  it('show every metric', () => {
    const shown = new Set(queries.flatMap(({ expr }) => namesIn(expr)).map(({ plain }) => plain));
    expect([...shown].toSorted()).toEqual([...exporter.keys()].toSorted());
  });

  it('use variables that the dashboard has, and labels that metrics have', () => {
    const builtIn = ['__rate_interval', '__range'];
    const variables = dashboard.templating.list.map(({ name }) => name);
    for (const { expr } of queries) {
      for (const [, variable] of expr.matchAll(/\$(\w+)/g))
        expect([...variables, ...builtIn]).toContain(variable);
    }
    for (const { labels, annotations } of rules) {
      expect(['page', 'warning']).toContain(labels.severity);
      const text = annotations.summary + annotations.description;
      for (const [, label] of text.matchAll(/\$labels\.(\w+)/g))
        expect(['idgen_sequence', 'instance']).toContain(label);
    }
  });
});
