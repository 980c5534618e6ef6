import { DataPointType, MeterProvider, type MetricData, MetricReader } from '@opentelemetry/sdk-metrics';
import { expect, it, onTestFinished } from 'vitest';
import { type MeterLike, observeSegments } from '../src/otel/observe.js';
import { bufferOver } from './buffer-support.js';
import { ScriptedSource } from './scripted-source.js';

/** Collects when the test asks for it. */
class ManualReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}

  /** By name: the metric with its last value per sequence. */
  async read(): Promise<Map<string, { readonly metric: MetricData; readonly values: object }>> {
    const { resourceMetrics, errors } = await this.collect();
    expect(errors).toEqual([]);
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return new Map(
      metrics.map((metric) => {
        const points = metric.dataPoints.map(({ attributes, value }) => [
          attributes['idgen.sequence'],
          value,
        ]);
        return [metric.descriptor.name, { metric, values: Object.fromEntries(points) }];
      }),
    );
  }
}

function openMeter() {
  const reader = new ManualReader();
  const provider = new MeterProvider({ readers: [reader] });
  onTestFinished(() => provider.shutdown());
  return { reader, meter: provider.getMeter('ids') };
}

function metered(source: ScriptedSource) {
  const { buffer } = bufferOver(source);
  return {
    buffer,
    generator: {
      strategy: 'segment-inproc',
      counters: () => buffer.counters(),
      health: () => buffer.health(),
    },
  };
}

it('shows generators to the OpenTelemetry SDK, each under the name of its sequence', async () => {
  const { reader, meter } = openMeter();
  const [order, ticket] = [metered(ScriptedSource.open()), metered(new ScriptedSource())];
  observeSegments(meter, { order: order.generator, ticket: ticket.generator });
  await order.buffer.nextBatch(4);
  expect(() => ticket.buffer.nextSync()).toThrow();

  const metrics = await reader.read();
  const values = (name: string) => metrics.get(name)?.values;
  expect(values('idgen.id.issued')).toEqual({ order: 4, ticket: 0 });
  expect(values('idgen.refill.count')).toEqual({ order: 1, ticket: 0 });
  expect(values('idgen.wait.count')).toEqual({ order: 1, ticket: 0 });
  expect(values('idgen.not_ready.count')).toEqual({ order: 0, ticket: 1 });
  expect(values('idgen.id.remaining')).toEqual({ order: 6, ticket: 0 });
  expect(values('idgen.backend.up')).toEqual({ order: 1, ticket: 1 });

  await order.buffer.nextBatch(2);
  expect((await reader.read()).get('idgen.id.issued')?.values).toEqual({ order: 6, ticket: 0 });
});

it('counts with counters that only rise, in seconds where it counts time, under names of one namespace', async () => {
  const { reader, meter } = openMeter();
  const { buffer, generator } = metered(ScriptedSource.open());
  observeSegments(meter, { order: generator });
  await buffer.next();
  const metrics = [...(await reader.read()).values()].map(({ metric }) => metric);
  expect(metrics.length).toBeGreaterThan(10);
  for (const { descriptor, ...metric } of metrics) {
    expect(descriptor.name).toMatch(/^idgen\.[a-z_.]+$/);
    expect(descriptor.name).not.toMatch(/total/);
    expect(descriptor.description).not.toBe('');
    expect(descriptor.unit).toEqual(
      /time$/.test(descriptor.name) ? 's' : expect.stringMatching(/^(\{[a-z]+\}|1)$/),
    );
    if (metric.dataPointType === DataPointType.SUM) expect(metric.isMonotonic).toBe(true);
  }
});

it('shows all that a generator of any strategy counts and knows of its health, each under its own name', async () => {
  const { reader, meter } = openMeter();
  const counters = {
    idsIssued: 1,
    idsDiscarded: 2,
    refills: 3,
    refillSeconds: 4,
    refillFailures: 5,
    regressions: 6,
    waits: 7,
    waitSeconds: 8,
    notReady: 9,
    takes: 10,
    stateLosses: 11,
    timeouts: 12,
    newKeys: 17,
  };
  const exhaustedAt = new Date(Date.now() + 86_400_000);
  const health = { status: 'ok', remaining: 13, secondsLeft: 14, exhaustedAt } as const;
  observeSegments(meter, { order: { strategy: 'any', counters: () => counters, health: () => health } });
  const metrics = await reader.read();
  const shown = [...metrics].map(([name, { metric, values }]) => {
    expect(metric.dataPoints.map(({ attributes }) => attributes)).toEqual([
      { 'idgen.sequence': 'order', 'idgen.strategy': 'any' },
    ]);
    expect(metric.descriptor.description).toMatch(/^[1A-Z].{15,}\.$/);
    return [name, metric.descriptor.unit, Object.values(values)[0]];
  });
  expect(shown).toEqual([
    ['idgen.id.issued', '{id}', 1],
    ['idgen.id.discarded', '{id}', 2],
    ['idgen.refill.count', '{refill}', 3],
    ['idgen.refill.time', 's', 4],
    ['idgen.refill.failures', '{attempt}', 5],
    ['idgen.regression.count', '{regression}', 6],
    ['idgen.wait.count', '{call}', 7],
    ['idgen.wait.time', 's', 8],
    ['idgen.not_ready.count', '{call}', 9],
    ['idgen.take.count', '{take}', 10],
    ['idgen.state_loss.count', '{loss}', 11],
    ['idgen.timeout.count', '{call}', 12],
    ['idgen.key.count', '{key}', 17],
    ['idgen.id.remaining', '{id}', 13],
    ['idgen.id.remaining_time', 's', 14],
    ['idgen.range.remaining_time', 's', expect.closeTo(86_400, -2)],
    ['idgen.backend.up', '1', 1],
  ]);
});

it('leaves out what a generator does not count or know', async () => {
  const { reader, meter } = openMeter();
  observeSegments(meter, { order: { strategy: 'any', health: () => ({ status: 'closed' }) } });
  expect((await reader.read()).size).toBe(0);
  // A meter that takes any value, unlike that of the SDK.
  const observed: unknown[] = [];
  const instrument = { addCallback: () => {} };
  const anyMeter: MeterLike = {
    createObservableCounter: () => instrument,
    createObservableGauge: () => instrument,
    addBatchObservableCallback: (callback) => callback({ observe: (_, value) => observed.push(value) }),
    removeBatchObservableCallback: () => {},
  };
  observeSegments(anyMeter, { order: { strategy: 'any', health: () => ({ status: 'closed' }) } });
  expect(observed).toEqual([]);
});

it.each([
  ['ok', 1],
  ['not-ready', 1],
  ['degraded', 0],
  ['down', 0],
] as const)('shows whether the backend of a generator that is %s is up: %d', async (status, up) => {
  const { reader, meter } = openMeter();
  observeSegments(meter, { order: { strategy: 'any', health: () => ({ status }) } });
  expect((await reader.read()).get('idgen.backend.up')?.values).toEqual({ order: up });
});

it('shows nothing any more once the observation was ended', async () => {
  const { reader, meter } = openMeter();
  const { generator } = metered(ScriptedSource.open());
  const end = observeSegments(meter, { order: generator });
  expect((await reader.read()).size).toBeGreaterThan(0);
  end();
  let asked = 0;
  generator.counters = () => {
    asked++;
    throw new Error('asked after the end');
  };
  await reader.read();
  expect(asked).toBe(0);
});
