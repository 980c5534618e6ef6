import type { IdGenerator } from '@ids/core';
import { createGpidGenerator, type GpidOptions } from '../../src/index.js';

export async function open(options: GpidOptions): Promise<IdGenerator> {
  return createGpidGenerator(options);
}
