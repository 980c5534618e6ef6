import type { IdGenerator } from '@ids/core';
import { createUuid7Generator, type Uuid7Options } from '../../src/index.js';

export async function open(options: Uuid7Options): Promise<IdGenerator> {
  return createUuid7Generator(options);
}
