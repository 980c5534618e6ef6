import type { IdGenerator } from '@ids/core';
import { createObjectIdGenerator, type ObjectIdOptions } from '../../src/index.js';

export async function open(options: ObjectIdOptions): Promise<IdGenerator> {
  return createObjectIdGenerator(options);
}
