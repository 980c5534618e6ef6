import type { IdGenerator } from '@ids/core';
import { type ClassicObjectIdOptions, createObjectIdGenerator } from '../../src/machine-pid/index.js';

export async function open(options: ClassicObjectIdOptions): Promise<IdGenerator> {
  return createObjectIdGenerator(options);
}
