import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import { getPath } from 'hono/utils/url';
import type { Access, Visitor } from './access.js';
import { Problem } from './problems.js';
import type { RequestListener } from './request-report.js';

/** What a request notes about itself on its way. */
export interface Notes {
  /** The path of the API that it is for. */
  route?: string;
  visitor?: Visitor;
  nonce?: string | undefined;
  ids?: number;
  errors?: readonly unknown[];
}

/** A request on its way through the handler. Its notes are passed as what Hono calls the environment. */
export type Exchange = Context<{ Bindings: Notes }>;

/**
 * What answers requests to one path. Wrappers call each other as functions: middleware of Hono makes a chain
 * of promises for each request, which takes longer than to issue an id.
 */
export type Route = (c: Exchange) => Promise<Response>;

/** Calls `onRequest` after each request to `fetch`, which fills in the notes. */
export function reported(
  fetch: (request: Request, notes: Notes) => Promise<Response> | Response,
  onRequest: RequestListener | undefined,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const startedAt = performance.now();
    const notes: Notes = {};
    const response = await fetch(request, notes);
    if (onRequest === undefined) return response;
    const { route, visitor, ids = 0, errors = [] } = notes;
    const tookMs = performance.now() - startedAt;
    const [{ method }, { status }] = [request, response];
    onRequest({ method, path: getPath(request), route, status, tookMs, client: visitor?.name, ids, errors });
    return response;
  };
}

/** When to ask again if there are too many requests, in seconds. */
const BUSY_SECONDS = 1;

/** Refuses requests beyond so many at the same time: waiting ones hold memory, and those behind them. */
export function withinCapacity(most: number): (route: Route) => Route {
  let running = 0;
  return (route) => async (c) => {
    if (running >= most)
      throw new Problem(503, 'ERR_IDS_UNAVAILABLE', 'the server has too many requests', BUSY_SECONDS);
    running += 1;
    try {
      return await route(c);
    } finally {
      running -= 1;
    }
  };
}

/** Refuses requests of nobody who is known, and bodies of more than so many bytes. */
export function recognised(access: Access, most: number): (route: Route) => Route {
  const onError = () => {
    throw new Problem(413, 'ERR_IDS_CONFIG', `a body may have at most ${most} bytes`);
  };
  const limit = bodyLimit({ maxSize: most, onError });
  return (route) => async (c) => {
    c.env.visitor = await access.visitor(c.req.header('authorization'));
    const length = c.req.header('content-length');
    // `bodyLimit` looks at the body first, for which the adapter of Node.js makes a stream: half of the time
    // of a request.
    if (length === undefined || c.req.header('transfer-encoding') !== undefined) {
      await limit(c, async () => undefined);
    } else if (Number(length) > most) onError();
    // Without `await`, the promise would be settled two turns later.
    return await route(c);
  };
}

/** Notes for which path of the API the request is. */
export function routed(route: Route): Route {
  return (c) => {
    c.env.route = routePath(c);
    return route(c);
  };
}
