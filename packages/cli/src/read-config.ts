import { type ConfiguredGenerator, planGenerators, type ReadConfig, readConfig } from '@ids/config';
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
