import { basename, dirname } from 'node:path';
import { type IdsConfig, loadConfig } from '@ids/config';
import { isIdError } from '@ids/core';
import { UsageError } from '../cases/select.js';
import type { ServiceNeeds } from '../schema/advice.js';

/**
 * The `ids.config.*` at `path`, for `--config`. The environment is not laid over it: what it holds, such as
 * passwords, has no place in a report. Rejects with a `UsageError` if it cannot be read.
 */
export async function readServiceConfig(path: string): Promise<IdsConfig> {
  if (!basename(path).startsWith('ids.config.')) {
    throw new UsageError(`--config must name a file ids.config.*, got "${path}"`);
  }
  try {
    return await loadConfig({ cwd: dirname(path), environment: {} });
  } catch (error) {
    if (!isIdError(error)) throw error;
    throw new UsageError(`--config: ${error.message}`);
  }
}

/**
 * The needs that flags and a config state: one set per generator of the config, where flags win; without a
 * config, one set that may be empty.
 */
export function gatherNeeds(flags: ServiceNeeds, config?: IdsConfig): ServiceNeeds[] {
  if (config === undefined) return [flags];
  return Object.entries(config.generators).map(([name, { require = {} }]) => {
    const { discloses, ...others } = require;
    // An empty list means the same as `--public`, which encoders can provide; any other list is up to the
    // strategy.
    const hidden = discloses?.length === 0 ? { public: true } : { ...(discloses && { discloses }) };
    return { name, ...others, ...hidden, ...flags };
  });
}
