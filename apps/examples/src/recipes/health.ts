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

/** What a probe may show of a generator: the code of an error only, since its message names backends. */
export function publicHealth(generator: IdGenerator) {
  const { status, remaining, lastError } = generator.health();
  return {
    status,
    ...(remaining !== undefined && { remaining }),
    ...(lastError && { error: lastError.code }),
  };
}

/**
 * `GET /livez` says that this process runs: no backend can make it fail, since a restart of this process
 * would mend none. `GET /readyz` says whether to send requests here, by the health of every generator, and
 * says no from when `isDraining` does.
 */
export function healthRoutes(
  generators: Readonly<Record<string, IdGenerator>>,
  isDraining: () => boolean = () => false,
): RequestListener {
  return async (request, response) => {
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/livez') return reply(200, { status: 'ok' });
    if (request.url !== '/readyz') return reply(404, { error: 'GET /livez or GET /readyz' });

    const serving = await Promise.all(Object.values(generators).map(isServing));
    const states = Object.entries(generators).map(([name, generator]) => [name, publicHealth(generator)]);
    const ready = serving.every(Boolean) && !isDraining();
    reply(ready ? 200 : 503, { ...(isDraining() && { draining: true }), ...Object.fromEntries(states) });
  };
}
