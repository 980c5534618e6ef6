import { basename, dirname } from 'node:path';
import { loadConfig } from '@ids/config';
import { isIdError } from '@ids/core';
import type { ServiceNeeds } from '../choose/service-needs.js';
import { UsageError } from '../run/select-cases.js';
import type { Arguments } from './arguments.js';

/**
 * The needs that flags or a config file state: one set per generator of the file, each with the flags on top;
 * one set, empty if need be, without a file.
 */
export async function gatherNeeds({
  needs,
  config,
}: Pick<Arguments, 'needs' | 'config'>): Promise<ServiceNeeds[]> {
  if (config === undefined) return [needs];
  if (!basename(config).startsWith('ids.config.')) {
    throw new UsageError(`--config must name a file ids.config.*, got "${config}"`);
  }
  try {
    const { generators } = await loadConfig({ cwd: dirname(config) });
    return Object.entries(generators).map(([name, { require = {} }]) => {
      const { discloses, ...others } = require;
      // Nothing at all is what `--public` means, and encoders can see to that; anything
      // else is up to the strategy.
      const hidden = discloses?.length === 0 ? { public: true } : { ...(discloses && { discloses }) };
      return { name, ...others, ...hidden, ...needs };
    });
  } catch (error) {
    if (!isIdError(error)) throw error;
    throw new UsageError(`--config: ${error.message}`);
  }
}
