import { nearestName } from '@ids/core';
import { generatorsIn, variableFor } from './config-problems.js';
import type { Environment } from './environment.js';

/** What is probably a mistake, and does not keep a config from being used. */
export interface ConfigWarning {
  /** The variable or the file that it is about. */
  readonly about: string;
  readonly message: string;
}

const OURS = /^IDS_(.+)_(STRATEGY|KEY|URL|LEVEL)(?:_FILE)?$/;

/**
 * Variables that look as if they were meant for this config and set nothing in it, `known` being those that
 * can. Services that share an environment may have variables for each other, so none of these is an error.
 */
export function strayVariables(
  config: unknown,
  environment: Environment,
  known: ReadonlySet<string>,
): ConfigWarning[] {
  const withoutKey = new Set(generatorsIn(config).map(([name]) => variableFor(name, 'KEY')));
  return Object.keys(environment)
    .filter((variable) => variable.startsWith('IDS_') && environment[variable] && !known.has(variable))
    .flatMap((variable) => {
      const unused = withoutKey.has(variable.replace(/_FILE$/, ''));
      if (unused) return [warning(variable, 'its generator has no "encode" with "obfuscate": true')];
      const nearest = nearestVariable(variable, known);
      const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
      const [, , setting] = OURS.exec(variable) ?? [];
      if (setting === 'STRATEGY' || setting === 'KEY')
        return [warning(variable, `no generator of this config has such a name${hint}`)];
      return hint === '' && setting === undefined
        ? []
        : [warning(variable, `no setting has this name${hint}`)];
    });
}

function warning(about: string, why: string): ConfigWarning {
  return { about, message: `is set and not used: ${why}` };
}

/** Variables of one kind begin and end alike, so they are told apart by what stands between. */
function nearestVariable(variable: string, known: ReadonlySet<string>): string | undefined {
  const [, name, setting] = OURS.exec(variable) ?? [];
  if (name === undefined) return nearestName(variable, [...known]);
  const alike = [...known].flatMap((other) => {
    const [, otherName = '', otherSetting] = OURS.exec(other) ?? [];
    return otherSetting === setting ? [otherName] : [];
  });
  const nearest = nearestName(name, alike);
  return nearest === undefined ? undefined : variable.replace(`_${name}_`, `_${nearest}_`);
}
