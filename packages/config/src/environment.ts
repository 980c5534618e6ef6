import { readFileSync } from 'node:fs';
import { generatorsIn, variableFor } from './config-problems.js';
import type { Setting } from './layers.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentSettings {
  readonly settings: readonly Setting[];
  /** What is wrong with variables, a line each, without their values. */
  readonly problems: readonly string[];
  /** The variables that this config can be set by. */
  readonly known: ReadonlySet<string>;
}

/**
 * What the environment says about a config: `IDS_REDIS_URL`, `IDS_DATABASE_URL`, `IDS_LOG_LEVEL` and, for
 * the generator of that name, `IDS_<NAME>_STRATEGY` and, where it obfuscates, `IDS_<NAME>_KEY`. Secrets may
 * come as `_FILE`, the name of a file that holds them, as orchestrators mount them. An empty variable
 * counts as one that is not set.
 */
export function readEnvironment(config: unknown, environment: Environment): EnvironmentSettings {
  const settings: Setting[] = [];
  const problems: string[] = [];
  const known = new Set<string>();
  const take = (path: readonly string[], variable: string, value: string | undefined): void => {
    known.add(variable);
    if (value) settings.push({ path, value, origin: `environment ${variable}` });
  };
  const takeSecret = (path: readonly string[], variable: string): void => {
    known.add(variable).add(`${variable}_FILE`);
    const file = environment[`${variable}_FILE`];
    if (!file) {
      take(path, variable, environment[variable]);
      return;
    }
    if (environment[variable]) {
      problems.push(`${variable} and ${variable}_FILE are both set: keep one`);
      return;
    }
    try {
      const secret = readFileSync(file, 'utf8').trim();
      if (secret === '') problems.push(`${variable}_FILE: the file "${file}" is empty`);
      take(path, `${variable}_FILE`, secret);
    } catch {
      problems.push(`${variable}_FILE: cannot read "${file}"`);
    }
  };
  take(['logLevel'], 'IDS_LOG_LEVEL', environment.IDS_LOG_LEVEL);
  takeSecret(['redis'], 'IDS_REDIS_URL');
  takeSecret(['database'], 'IDS_DATABASE_URL');
  for (const [name, generator] of generatorsIn(config)) {
    const strategy = variableFor(name, 'STRATEGY');
    take(['generators', name, 'strategy'], strategy, environment[strategy]);
    const { encode } = Object(generator) as { encode?: unknown };
    const { obfuscate } = Object(encode) as { obfuscate?: unknown };
    if (obfuscate === true) takeSecret(['generators', name, 'encode', 'key'], variableFor(name, 'KEY'));
  }
  return { settings, problems, known };
}
