import type { Id } from '@ids/core';
import type { Anatomy, IdPart } from '../schema/case.js';

/** Four bytes of time, five random ones, three of a counter. */
export function objectIdAnatomy(id: Id): Anatomy {
  const text = String(id);
  return {
    parts: [
      { text: text.slice(0, 8), holds: 'seconds since 1970, 32 bits', tells: 'time' },
      { text: text.slice(8, 18), holds: 'random, drawn once per thread, 40 bits' },
      { text: text.slice(18), holds: 'counter, 24 bits', tells: 'volume' },
    ],
    bytes: 12,
    randomBits: 40,
    lasts: { until: '2106-02-07' },
  };
}

/** Six bytes of time, version and variant, 42 bits of a counter, four random bytes. */
export function uuid7Anatomy(id: Id): Anatomy {
  const text = String(id);
  return {
    parts: [
      { text: text.slice(0, 13), holds: 'milliseconds since 1970, 48 bits', tells: 'time' },
      { text: text.slice(13, 15), holds: 'version' },
      {
        text: text.slice(15, 28),
        holds: 'variant, and a counter from a random start, 42 bits',
        tells: 'volume',
      },
      { text: text.slice(28), holds: 'random, drawn for each ID, 32 bits' },
    ],
    bytes: 16,
    lasts: { until: '10889-08-02' },
  };
}

const GPID_HEAD: readonly Omit<IdPart, 'text'>[] = [
  { holds: 'address', tells: 'address' },
  { holds: 'port', tells: 'address' },
  { holds: 'start of the process, µs since 1970', tells: 'time' },
  { holds: 'process id', tells: 'process' },
];

/**
 * `<address>:<port>:<start>:<pid>`, then `;key=value` pairs that identify the incarnation, then `/<counter>`.
 */
export function gpidAnatomy(id: Id): Anatomy {
  const text = String(id);
  const slash = text.lastIndexOf('/');
  const [head = '', ...evidence] = text.slice(0, slash).split(/(?=;)/);
  // An IPv6 address has colons of its own: the last three are ours.
  const fields = head.match(/^(.*)(:\d+)(:\d+)(:\d+)$/)?.slice(1) ?? [head];
  return {
    parts: [
      ...fields.map((field, i) => ({ text: field, ...(GPID_HEAD[i] ?? { holds: 'process' }) })),
      ...evidence.map((field) =>
        field.startsWith(';run=')
          ? { text: field, holds: 'random, drawn once per thread, 64 bits' }
          : { text: field, holds: 'identifies the incarnation', tells: 'process' as const },
      ),
      { text: text.slice(slash), holds: 'counter', tells: 'volume' },
    ],
    randomBits: 64,
    lasts: { ids: Number.MAX_SAFE_INTEGER, of: 'process' },
  };
}

/** A number of one sequence that all processes share. */
export function sequenceAnatomy(id: Id): Anatomy {
  return {
    parts: [{ text: String(id), holds: 'number of the sequence, up to 2^53 - 1', tells: 'volume' }],
    bytes: 8,
    lasts: { ids: Number.MAX_SAFE_INTEGER, of: 'sequence' },
  };
}

/** 41 bits of time, ten of the slot, twelve of a sequence, in one decimal number. */
export function snowflakeAnatomy(id: Id): Anatomy {
  return {
    parts: [
      { text: String(id), holds: 'ms since 2025 in 41 bits, slot in 10, sequence in 12', tells: 'time' },
    ],
    bytes: 8,
    lasts: { until: '2094-09-07' },
  };
}
