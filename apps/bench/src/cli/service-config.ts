import { basename, dirname } from 'node:path';
import { type IdsConfig, readConfig } from '@ids/config';
import { isIdError } from '@ids/core';
import { UsageError } from '../cases/select.js';
import type { ServiceNeeds } from '../schema/advice.js';

/**
 * What the generator in the `ids.config.*` at `path` requires, for `--config`. The environment is not laid
 * over it: what it holds, such as passwords, has no place in a report. Rejects with a `UsageError` if it
 * cannot be read, or does not have exactly one generator.
 */
export async function configNeeds(path: string): Promise<ServiceNeeds> {
  const { generators } = await serviceConfig(path);
  const names = Object.keys(generators);
  const [name = ''] = names;
  if (names.length !== 1) {
    throw new UsageError(`--config must have one generator, got ${names.join(', ') || 'none'} in "${path}"`);
  }
  const { discloses, ...others } = generators[name]?.require ?? {};
  // An empty list means the same as `--public`, which encoders can provide; any other list is up to the
  // strategy.
  const hidden = discloses?.length === 0 ? { public: true } : { ...(discloses && { discloses }) };
  return { name, ...others, ...hidden };
}

async function serviceConfig(path: string): Promise<IdsConfig> {
  if (!basename(path).startsWith('ids.config.')) {
    throw new UsageError(`--config must name a file ids.config.*, got "${path}"`);
  }
  try {
    const { config, file } = await readConfig({ cwd: dirname(path), environment: {} });
    // Its folder is searched, and may have another one, which states other needs.
    if (file !== basename(path))
      throw new UsageError(`--config: there is no "${path}", only "${file}" there`);
    return config as IdsConfig;
  } catch (error) {
    if (!isIdError(error)) throw error;
    throw new UsageError(`--config: ${error.message}`);
  }
}
