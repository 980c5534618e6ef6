import { randomUUID } from 'node:crypto';
import type { Id } from '@ids/core';
import type { ControlCase, IdFormat } from '../bench-case.js';

function control(name: string, format: IdFormat, make: () => Promise<() => Id>): ControlCase {
  return {
    kind: 'control',
    name,
    backends: [],
    format,
    open: async () => ({ nextSync: await make(), close: async () => {} }),
  };
}

function text(pattern: RegExp, maxLength: number): IdFormat {
  return { idType: 'string', text: { pattern, maxLength, sortable: false } };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * What people use otherwise, and what the machinery itself costs. Libraries are loaded by the worker that
 * measures them, so that no other worker spends its time on that.
 */
export const memoryControls: readonly ControlCase[] = [
  control(
    'empty loop',
    { idType: 'number', text: { pattern: /^[1-9]\d*$/, maxLength: 16, sortable: false } },
    async () => {
      let count = 0;
      return () => ++count;
    },
  ),
  control('crypto.randomUUID', text(UUID, 36), async () => () => randomUUID()),
  control('bson ObjectId', text(/^[0-9a-f]{24}$/, 24), async () => {
    const { ObjectId } = await import('bson');
    return () => new ObjectId().toHexString();
  }),
  control('uuid v7', text(UUID, 36), async () => {
    const { v7 } = await import('uuid');
    return () => v7();
  }),
  control('nanoid', text(/^[\w-]{21}$/, 21), async () => {
    const { nanoid } = await import('nanoid');
    return () => nanoid();
  }),
  control('ulid', text(/^[0-9A-HJKMNP-TV-Z]{26}$/, 26), async () => {
    const { monotonicFactory } = await import('ulid');
    const ulid = monotonicFactory();
    return () => ulid();
  }),
];

/** One of them. Throws for a name that none has. */
export function memoryControl(name: string): ControlCase {
  const found = memoryControls.find((control) => control.name === name);
  if (found === undefined) throw new RangeError(`there is no control "${name}"`);
  return found;
}
