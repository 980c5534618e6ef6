import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect, inject, it, onTestFinished } from 'vitest';
import { observeIds } from '../../src/recipes/opentelemetry.js';
import { ownSchema } from '../support/own-schema.js';

it('OpenTelemetry exports what generators did, until the observation is ended', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  metrics.setGlobalMeterProvider(provider);
  onTestFinished(async () => {
    metrics.disable();
    await provider.shutdown();
  });
  const exported = async (): Promise<Map<string, unknown>> => {
    exporter.reset();
    await provider.forceFlush();
    const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    const all = scopes.flatMap((scope) => scope.metrics).filter(({ dataPoints }) => dataPoints.length > 0);
    return new Map(all.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints[0]]));
  };

  await using schema = await ownSchema(inject('databaseUrl'));
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool });
  const end = observeIds({ order: ids });
  await ids.nextBatch(42);

  const points = await exported();
  const attributes = { 'idgen.sequence': 'order', 'idgen.strategy': 'segment-inproc' };
  expect(points.get('idgen.id.issued')).toMatchObject({ value: 42, attributes });
  expect(points.get('idgen.backend.up')).toMatchObject({ value: 1, attributes });
  await ids.nextBatch(8);
  expect((await exported()).get('idgen.id.issued')).toMatchObject({ value: 50 });

  end();
  const [before] = [ids.counters().idsIssued];
  await ids.next();
  expect(ids.counters().idsIssued).toBe(before + 1);
  expect((await exported()).get('idgen.id.issued')).not.toMatchObject({ value: before + 1 });
});
