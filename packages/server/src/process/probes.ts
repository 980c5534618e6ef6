import type { ServedGenerators } from '../served.js';
import type { Part } from './beside.js';

/** How long a probe waits for generators, in milliseconds. */
const PROBE_MS = 1_000;

/**
 * Probes. `/healthz`: the process answers. `/readyz`: each of its generators can issue ids. A process that
 * drains accepts no connections, so nobody asks it any more.
 */
export function probesOf(generators: ServedGenerators): Part {
  let asking: Promise<boolean> | undefined;
  return (app) => {
    app.get('/healthz', (c) => c.json({ status: 'ok' }));
    app.get('/readyz', async (c) => {
      // Probes need no token, so generators are asked once, however many probes come meanwhile.
      asking ??= areReady(generators).finally(() => {
        asking = undefined;
      });
      const ready = await asking;
      const states = Object.entries(generators).map(([name, { generator }]) => [
        name,
        generator.health().status,
      ]);
      const status = ready ? 'ready' : 'not-ready';
      return c.json({ status, generators: Object.fromEntries(states) }, ready ? 200 : 503);
    });
  };
}

async function areReady(generators: ServedGenerators): Promise<boolean> {
  const signal = AbortSignal.timeout(PROBE_MS);
  const asked = Object.values(generators).map(({ generator }) => generator.ready({ signal }));
  const results = await Promise.allSettled(asked);
  return results.every(({ status }) => status === 'fulfilled');
}
