import type { RequestListener } from 'node:http';
import type { IdGenerator } from '@ids/core';

/** Milliseconds that a probe waits for a generator; Kubernetes gives up after 1,000. */
const WITHIN_MS = 500;

/**
 * Whether requests get their ids: at once (`ok`, `degraded`), or as soon as the generator has asked its
 * backend, which it does here. Else `not-ready` and `down` would last: while this says no, no requests
 * come that would make it ask.
 */
export async function isServing(generator: IdGenerator): Promise<boolean> {
  const { status } = generator.health();
  if (status === 'ok' || status === 'degraded') return true;
  const ready = generator.ready({ signal: AbortSignal.timeout(WITHIN_MS) });
  return ready.then(
    () => true,
    () => false,
  );
}

/**
 * `GET /livez` says that this process runs: no backend can make it fail, since a restart of this process
 * would mend none. `GET /readyz` says whether to send requests here, by the health of every generator.
 */
export function healthRoutes(generators: Readonly<Record<string, IdGenerator>>): RequestListener {
  return async (request, response) => {
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/livez') return reply(200, { status: 'ok' });
    if (request.url !== '/readyz') return reply(404, { error: 'GET /livez or GET /readyz' });

    const serving = await Promise.all(Object.values(generators).map(isServing));
    const states = Object.entries(generators).map(([name, generator]) => [name, generator.health()]);
    reply(serving.every(Boolean) ? 200 : 503, Object.fromEntries(states));
  };
}
