import { IdError } from '@ids/core';
import { loadConfig as loadWithC12 } from 'c12';
import { applyEnvironment, type Environment } from './environment.js';
import { assertIdsConfig, type IdsConfig } from './ids-config.js';

export interface LoadConfigOptions {
  /** The folder that holds `ids.config.{ts,js,mjs,json,yaml}`; the working directory by default. */
  readonly cwd?: string;
  /** The environment to lay over it; the process's by default. */
  readonly environment?: Environment;
}

/** Reads `ids.config.*` and lays the environment over it. Rejects with `ERR_IDS_CONFIG` when there is none or it is wrong. */
export async function loadConfig({
  cwd = process.cwd(),
  environment = process.env,
}: LoadConfigOptions = {}): Promise<IdsConfig> {
  const { config, layers = [] } = await loadWithC12<IdsConfig>({
    name: 'ids',
    cwd,
    rcFile: false,
    globalRc: false,
    packageJson: false,
    dotenv: false,
  }).catch((cause) => {
    throw new IdError('ERR_IDS_CONFIG', `ids.config in ${cwd} cannot be read: ${String(cause)}`, { cause });
  });
  if (layers.length === 0) {
    throw new IdError('ERR_IDS_CONFIG', `there is no ids.config.{ts,js,json,yaml} in ${cwd}`);
  }
  assertIdsConfig(config);
  return applyEnvironment(config, environment);
}
