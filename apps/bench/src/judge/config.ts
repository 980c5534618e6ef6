import { type GeneratorConfig, unmetNeeds, variableFor } from '@ids/config';
import { configOf } from '../cases/strategies.js';
import type { Advice, ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import { asNeeded, type Obfuscation, obfuscationOf } from './fit.js';

/** Of a service that has no config yet. */
const DEFAULT_NAME = 'order';

/**
 * `ids.config.json` with a generator of the strategy that was chosen; `undefined` if none was, or one of the
 * user. `@ids/config` checks the needs again whenever it opens the generator.
 */
export function configFor({ needs, choice }: Advice, cases: readonly CaseResult[]): string | undefined {
  const chosen = cases.find((one) => one.kind === 'strategy' && one.name === choice);
  if (chosen === undefined || chosen.own) return undefined;
  const generators = { [needs.name ?? DEFAULT_NAME]: generatorConfig(chosen, needs) };
  return JSON.stringify({ generators }, null, 2);
}

/** One generator of such a config. */
function generatorConfig(chosen: CaseResult, needs: ServiceNeeds): GeneratorConfig {
  const { idType: as } = asNeeded(needs, chosen);
  const { name: _name, rate: _rate, p99Ms: _p99, public: hidden, ...others } = needs;
  const encode = configEncodes(chosen, needs);
  const hides = encode !== undefined || (hidden && chosen.guarantees?.discloses.length === 0);
  const { strategy, ...options } = configOf(chosen.name);
  return {
    strategy: strategy as string,
    ...options,
    ...(as !== undefined && { as }),
    ...(encode && { encode }),
    require: hides ? { ...others, discloses: [] } : others,
  };
}

/** How the config obfuscates ids: if outsiders see them, and obfuscated ids meet all other needs. */
export function configEncodes(
  { guarantees }: CaseResult,
  needs: ServiceNeeds,
): Obfuscation['encode'] | undefined {
  if (!needs.public || guarantees === undefined || guarantees.discloses.length === 0) return undefined;
  const hidden = obfuscationOf(guarantees);
  return hidden !== undefined && unmetNeeds(needs, hidden.guarantees).length === 0
    ? hidden.encode
    : undefined;
}

/** The variables that a config for this strategy reads, `IDS_REDIS_URL` and the like. */
export function configVariables(chosen: CaseResult, needs: ServiceNeeds): string[] {
  const variables = { redis: ['IDS_REDIS_URL'], sql: ['IDS_DATABASE_URL'], http: [] };
  const backends = (chosen.guarantees?.backends ?? []).flatMap((backend) => variables[backend]);
  const key = variableFor(needs.name ?? DEFAULT_NAME, 'KEY');
  return configEncodes(chosen, needs) === undefined ? backends : [...backends, key];
}
