import type { RequestListener } from 'node:http';
import type { Health, IdGenerator } from '@ids/core';

/** `degraded` still gives ids; whoever calls a generator that is `down` waits. */
export function isServing({ status }: Health): boolean {
  return status === 'ok' || status === 'degraded';
}

/**
 * `GET /livez` says that this process runs: no backend can make it fail, since a restart of this process would mend none.
 * `GET /readyz` says whether to send requests here, by the health of every generator.
 */
export function healthRoutes(generators: Readonly<Record<string, IdGenerator>>): RequestListener {
  return (request, response) => {
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/livez') return reply(200, { status: 'ok' });
    if (request.url !== '/readyz') return reply(404, { error: 'GET /livez or GET /readyz' });

    const states = Object.entries(generators).map(([name, generator]) => ({
      name,
      generator,
      health: generator.health(),
    }));
    const waiting = states.filter(({ health }) => !isServing(health));
    // While this says no, no requests come that would find the backend well again. So it is asked here, for the next answer.
    for (const { generator } of waiting) generator.ready().catch(() => undefined);
    const body = Object.fromEntries(states.map(({ name, health }) => [name, health]));
    reply(waiting.length === 0 ? 200 : 503, body);
  };
}
