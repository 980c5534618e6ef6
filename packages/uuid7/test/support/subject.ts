import type { IdGenerator } from '@ids/core';
import { createUuid7Generator } from '../../src/index.js';

export async function open(): Promise<IdGenerator> {
  return createUuid7Generator();
}
