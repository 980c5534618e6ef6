import { defineGuarantees } from '@ids/core/strategy';
import { onTestFinished } from 'vitest';
import {
  AdaptiveStep,
  DECIMAL_TEXT,
  SegmentBuffer,
  type SegmentEvent,
  type SegmentSource,
} from '../src/index.js';

/** Those of ids in memory; an engine only passes them on. */
export const GUARANTEES = defineGuarantees({
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'none' },
  gaps: 'on-restart',
  sync: true,
  idType: 'number',
  text: DECIMAL_TEXT,
  backends: ['sql'],
  discloses: ['volume'],
});

export interface BufferUnderTest {
  readonly buffer: SegmentBuffer<number>;
  readonly events: SegmentEvent[];
}

export interface BufferSettings {
  readonly step?: number;
  readonly maxIdsLost?: number;
  readonly deadlineMs?: number;
}

/** A buffer over the sequence `order`, with a fixed step; closed after the test. */
export function bufferOver(source: SegmentSource, settings: BufferSettings = {}): BufferUnderTest {
  const { step = 10, maxIdsLost, deadlineMs = 30_000 } = settings;
  return openBuffer(source, new AdaptiveStep({ minStep: step, maxStep: step, maxIdsLost }), deadlineMs);
}

/** The same with a step from 10 to 1,000. */
export function adaptiveBuffer(source: SegmentSource): BufferUnderTest {
  return openBuffer(source, new AdaptiveStep({ minStep: 10, maxStep: 1_000 }), 30_000);
}

function openBuffer(source: SegmentSource, step: AdaptiveStep, deadlineMs: number): BufferUnderTest {
  const events: SegmentEvent[] = [];
  const buffer = new SegmentBuffer({
    strategy: 'segment-inproc',
    guarantees: GUARANTEES,
    source,
    name: 'order',
    step,
    toId: (value) => value,
    deadlineMs,
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => buffer.close());
  return { buffer, events };
}

/** `low..high`, inclusive. */
export function range(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}

/** Lets everything that can go on without the outside do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
