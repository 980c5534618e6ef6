import {
  type ConfiguredGenerator,
  type IdsConfig,
  planGenerators,
  type ReadConfig,
  readConfig,
} from '@ids/config';
import type { IdStrategy } from '@ids/core';
import type { CommandContext } from './context.js';

/** Reads the config, and notes on standard error what is probably a mistake in it. */
export async function readNoted({ cwd, environment, stderr }: CommandContext): Promise<ReadConfig> {
  const read = await readConfig({ cwd, environment });
  for (const { about, message } of read.warnings) stderr.write(`ids: warning: ${about} ${message}\n`);
  return read;
}

/** Validates the generators of a config that was read from a file, by name. */
export function planAll(
  { config, problems }: Pick<ReadConfig, 'config' | 'problems'>,
  strategies: readonly IdStrategy[],
): Map<string, ConfiguredGenerator> {
  return planGenerators(strategies, config, { problems, fromEnvironment: true });
}

/** Stands for a database that nobody asks. */
export const NO_DATABASE = 'postgres://no-database.invalid/none';

const STAND_INS = { redis: 'redis://no-redis.invalid', database: NO_DATABASE };

/**
 * The same config with a stand-in for each of `backends` that it lacks: a command that asks none of them
 * must not want their URLs.
 */
export function withStandIns(read: ReadConfig, backends: readonly (keyof typeof STAND_INS)[]): ReadConfig {
  const { config } = read;
  const lacking = backends.filter((backend) => (config as Partial<IdsConfig>)[backend] === undefined);
  const standIns = Object.fromEntries(lacking.map((backend) => [backend, STAND_INS[backend]]));
  return { ...read, config: { ...config, ...standIns } };
}
