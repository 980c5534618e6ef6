import { randomUUID } from 'node:crypto';
import type { Id } from '@ids/core';
import { ObjectId } from 'bson';
import { nanoid } from 'nanoid';
import { monotonicFactory } from 'ulid';
import { v7 } from 'uuid';
import type { ControlCase, IdFormat } from '../bench-case.js';

function control(name: string, format: IdFormat, make: () => () => Id): ControlCase {
  return {
    kind: 'control',
    name,
    backends: [],
    format,
    open: async () => ({ nextSync: make(), close: async () => {} }),
  };
}

function text(pattern: RegExp, maxLength: number): IdFormat {
  return { idType: 'string', text: { pattern, maxLength, sortable: false } };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** What people use otherwise, and what the machinery itself costs. */
export const memoryControls: readonly ControlCase[] = [
  control(
    'empty loop',
    { idType: 'number', text: { pattern: /^[1-9]\d*$/, maxLength: 16, sortable: false } },
    () => {
      let count = 0;
      return () => ++count;
    },
  ),
  control('crypto.randomUUID', text(UUID, 36), () => () => randomUUID()),
  control('bson ObjectId', text(/^[0-9a-f]{24}$/, 24), () => () => new ObjectId().toHexString()),
  control('uuid v7', text(UUID, 36), () => () => v7()),
  control('nanoid', text(/^[\w-]{21}$/, 21), () => () => nanoid()),
  control('ulid', text(/^[0-9A-HJKMNP-TV-Z]{26}$/, 26), () => {
    const ulid = monotonicFactory();
    return () => ulid();
  }),
];
