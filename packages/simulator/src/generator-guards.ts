import type { Health } from '@ids/core';
import type { Guard } from './guard.js';

/** What keeps promises of the generators that are neither in a script nor in a statement. */
export const GENERATOR_GUARDS: readonly Guard[] = [
  {
    name: 'bound of a step',
    out: [],
    changeOptions: ({ maxIdsLost: _, ...options }) => options,
  },
  { name: 'failures in health', out: [], wrapHealth: (ask) => () => asWell(ask()) },
  {
    name: 'recovery in health',
    out: [],
    wrapHealth: (ask) => {
      let failed: Health | undefined;
      return () => {
        const health = ask();
        if (health.status === 'down') failed ??= health;
        return failed ?? health;
      };
    },
  },
];

function asWell({ lastError: _, ...health }: Health): Health {
  return health.status === 'degraded' || health.status === 'down' ? { ...health, status: 'ok' } : health;
}
