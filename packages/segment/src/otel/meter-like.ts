/**
 * The part of OpenTelemetry's `Meter` that is used here, so that its package is needed
 * only by those who have one.
 */
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
