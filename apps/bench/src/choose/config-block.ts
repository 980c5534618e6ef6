import type { CaseResult } from '../result.js';
import type { ServiceNeeds } from './service-needs.js';

/** Options that a strategy cannot do without; the backends come from the environment. */
const REQUIRED_OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  gpid: { port: 8080 },
};

/** `ids.config.json` for a service with these needs: `@ids/config` checks them again whenever it opens the generator. */
export function configBlock({ name }: CaseResult, needs: ServiceNeeds): string {
  const { name: generator = 'order', rate: _rate, public: _public, ...require } = needs;
  const options = { strategy: name, ...REQUIRED_OPTIONS[name], require };
  return JSON.stringify({ generators: { [generator]: options } }, null, 2);
}

/** The variables that a config for this strategy reads, `IDS_REDIS_URL` and the like. */
export function configVariables({ guarantees }: CaseResult): string[] {
  const variables = { redis: 'IDS_REDIS_URL', sql: 'IDS_DATABASE_URL' };
  return (guarantees?.backends ?? []).map((backend) => variables[backend]);
}
