import { unmetNeeds, variableFor } from '@ids/config';
import type { CaseResult } from '../result.js';
import { exampleOf } from '../strategies.js';
import { OBFUSCATED, obfuscatedGuarantees } from './obfuscated.js';
import type { ServiceNeeds } from './service-needs.js';

/**
 * `ids.config.json` for a service with these needs: `@ids/config` checks them again
 * whenever it opens the generator.
 */
export function configBlock(chosen: CaseResult, needs: ServiceNeeds): string {
  const { name } = chosen;
  const { name: generator = DEFAULT_NAME, rate: _rate, public: _public, ...others } = needs;
  const encode = configEncodes(chosen, needs);
  const require = encode ? { ...others, discloses: [] } : others;
  const options = {
    strategy: name,
    ...exampleOf(name),
    ...(encode && { encode: OBFUSCATED }),
    require,
  };
  return JSON.stringify({ generators: { [generator]: options } }, null, 2);
}

const DEFAULT_NAME = 'order';

/**
 * Whether the config obfuscates ids: where strangers see them, and nothing is needed that
 * obfuscated ids have lost.
 */
export function configEncodes({ guarantees }: CaseResult, needs: ServiceNeeds): boolean {
  if (!needs.public || guarantees === undefined || guarantees.discloses.length === 0) return false;
  const encoded = obfuscatedGuarantees(guarantees);
  return encoded !== undefined && unmetNeeds(needs, encoded).length === 0;
}

/** The variables that a config for this strategy reads, `IDS_REDIS_URL` and the like. */
export function configVariables(chosen: CaseResult, needs: ServiceNeeds): string[] {
  const variables = { redis: 'IDS_REDIS_URL', sql: 'IDS_DATABASE_URL' };
  const backends = (chosen.guarantees?.backends ?? []).map((backend) => variables[backend]);
  const key = variableFor(needs.name ?? DEFAULT_NAME, 'KEY');
  return configEncodes(chosen, needs) ? [...backends, key] : backends;
}
