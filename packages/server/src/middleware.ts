import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import type { Visitor } from './access.js';
import { Problem } from './problems.js';
import type { RequestListener } from './request-report.js';

/** What a request notes about itself on its way. */
export interface Notes {
  Variables: { visitor?: Visitor; nonce?: string | undefined; ids?: number; errors?: readonly unknown[] };
}

/** Calls `onRequest` after each request. */
export function reported(onRequest: RequestListener | undefined): MiddlewareHandler<Notes> {
  return async (c, next) => {
    const startedAt = performance.now();
    await next();
    // `c.var` would make an object of all of them each time.
    const [ids = 0, errors = [], visitor] = [c.get('ids'), c.get('errors'), c.get('visitor')];
    const [{ method, path }, { status }] = [c.req, c.res];
    const tookMs = performance.now() - startedAt;
    onRequest?.({ method, path, route: routeOf(c), status, tookMs, client: visitor?.name, ids, errors });
  };
}

/** Undefined if only middleware had to do with the request. */
function routeOf(c: Context): string | undefined {
  const route = routePath(c, -1);
  return route.endsWith('*') ? undefined : route;
}

/** Refuses longer bodies. */
export function withinLength(most: number): MiddlewareHandler<Notes> {
  const onError = () => {
    throw new Problem(413, 'ERR_IDS_CONFIG', `a body may have at most ${most} bytes`);
  };
  const limit = bodyLimit({ maxSize: most, onError });
  return async (c, next) => {
    const length = c.req.header('content-length');
    // `bodyLimit` looks at the body first, for which the adapter of Node.js makes a stream: half of the time
    // of a request.
    if (length === undefined || c.req.header('transfer-encoding') !== undefined) return limit(c, next);
    return Number(length) > most ? onError() : next();
  };
}

/** When to ask again if there are too many requests, in seconds. */
const BUSY_SECONDS = 1;

/** Refuses requests beyond so many at the same time: waiting ones hold memory, and those behind them. */
export function withinCapacity(most: number): MiddlewareHandler<Notes> {
  let running = 0;
  return async (_, next) => {
    if (running >= most)
      throw new Problem(503, 'ERR_IDS_UNAVAILABLE', 'the server has too many requests', BUSY_SECONDS);
    running += 1;
    try {
      await next();
    } finally {
      running -= 1;
    }
  };
}
