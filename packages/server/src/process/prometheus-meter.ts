import type { MeterLike } from '@ids/segment/otel';
import { Counter, Gauge, type Registry } from 'prom-client';

/** A metric whose values are read from somewhere else: a counter as well, which can only be raised. */
interface ReadMetric {
  addCallback(callback: never): void;
  readonly reset: () => void;
  readonly set: (labels: Record<string, string>, value: number) => void;
}

/**
 * A meter of OpenTelemetry over a registry of prom-client: names in the form of Prometheus, with units, and
 * with `_total` for counters. `observe` reads all values; call it before the registry is read.
 */
export function prometheusMeter(registry: Registry): {
  readonly meter: MeterLike;
  readonly observe: () => void;
} {
  const metrics: ReadMetric[] = [];
  const callbacks = new Set<Parameters<MeterLike['addBatchObservableCallback']>[0]>();
  const add = (metric: Omit<ReadMetric, 'addCallback'>): ReadMetric => {
    const added = { ...metric, addCallback: () => undefined };
    metrics.push(added);
    return added;
  };
  const options = (name: string, help: string) => {
    return { name, help, labelNames: ['idgen_sequence', 'idgen_strategy'], registers: [registry] };
  };
  const meter: MeterLike = {
    createObservableCounter(name, { unit, description }) {
      const counter = new Counter(options(`${nameOf(name, unit)}_total`, description));
      return add({
        reset: () => counter.reset(),
        set: (labels, value) => counter.inc(labels, value),
      });
    },
    createObservableGauge(name, { unit, description }) {
      const gauge = new Gauge(options(nameOf(name, unit), description));
      return add({ reset: () => gauge.reset(), set: (labels, value) => gauge.set(labels, value) });
    },
    addBatchObservableCallback: (callback) => void callbacks.add(callback),
    removeBatchObservableCallback: (callback) => void callbacks.delete(callback),
  };
  const observe = (): void => {
    for (const { reset } of metrics) reset();
    const result = {
      observe: (metric: object, value: number, attributes: Readonly<Record<string, string>>) => {
        const labels = Object.entries(attributes).map(([name, text]) => [underscored(name), text]);
        (metric as ReadMetric).set(Object.fromEntries(labels), value);
      },
    };
    for (const callback of callbacks) callback(result);
  };
  return { meter, observe };
}

function nameOf(name: string, unit: string): string {
  return `${underscored(name)}${unit === 's' ? '_seconds' : ''}`;
}

function underscored(name: string): string {
  return name.replaceAll('.', '_');
}
