import type { Counters, Health } from '@ids/core';
import { COUNTERS, GAUGES } from './instruments.js';

/** What is read from a generator. Any `IdGenerator` has it. */
export interface MeteredGenerator {
  readonly strategy: string;
  counters?(): Counters;
  health(): Health;
}

/**
 * Exports generators of any strategy, keyed by the names of their sequences, as instruments `idgen.*` of
 * `meter`, with the attributes `idgen.sequence` and `idgen.strategy`. Counters that a strategy does not have
 * are left out. Everything is read when metrics are collected, so issuing an id costs nothing extra. Returns
 * a function that stops it; the caller closes the generators.
 */
export function observeSegments(
  meter: MeterLike,
  generators: Readonly<Record<string, MeteredGenerator>>,
): () => void {
  const observed = [
    ...COUNTERS.map(({ read, name, ...options }) => {
      return { read, instrument: meter.createObservableCounter(name, options) };
    }),
    ...GAUGES.map(({ read, name, ...options }) => {
      return { read, instrument: meter.createObservableGauge(name, options) };
    }),
  ];
  const observe = (result: ObservableResultLike): void => {
    for (const [sequence, generator] of Object.entries(generators)) {
      const attributes = { 'idgen.sequence': sequence, 'idgen.strategy': generator.strategy };
      const reading = { counters: generator.counters?.() ?? {}, health: generator.health() };
      for (const { read, instrument } of observed) {
        const value = read(reading);
        if (value !== undefined) result.observe(instrument, value, attributes);
      }
    }
  };
  const instruments = observed.map(({ instrument }) => instrument);
  meter.addBatchObservableCallback(observe, instruments);
  return () => meter.removeBatchObservableCallback(observe, instruments);
}

/** The part of OpenTelemetry's `Meter` that is used here, so that this package need not depend on it. */
export interface MeterLike {
  createObservableCounter(name: string, options: InstrumentOptions): ObservableLike;
  createObservableGauge(name: string, options: InstrumentOptions): ObservableLike;
  addBatchObservableCallback(callback: BatchCallback, observables: ObservableLike[]): void;
  removeBatchObservableCallback(callback: BatchCallback, observables: ObservableLike[]): void;
}

/** An instrument whose values are read when metrics are collected. */
export interface ObservableLike {
  addCallback(callback: never): void;
}

export interface ObservableResultLike {
  observe(instrument: ObservableLike, value: number, attributes: Readonly<Record<string, string>>): void;
}

interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
}

type BatchCallback = (result: ObservableResultLike) => void;
