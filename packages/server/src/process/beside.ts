import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { idsPage } from '../page-response.js';
import { problemOf, problemResponse } from '../problems.js';

export type Handler = (request: Request) => Promise<Response>;

/** Adds what a process serves besides the API. */
export type Part = (app: Hono) => void;

/** Serves these parts, at paths without parameters, and everything else from `handler`. */
export function beside(handler: Handler, ...parts: readonly Part[]): Handler {
  const app = new Hono();
  for (const add of parts) add(app);
  app.onError((error) => problemResponse(problemOf(error)));
  app.notFound((c) => handler(c.req.raw));
  const paths = new Set(app.routes.map(({ path }) => path));
  // Requests for ids skip these routes.
  return async (request) => (paths.has(getPath(request)) ? app.fetch(request) : handler(request));
}

/** The page for people, at `/`. */
export const page: Part = (app) => void app.get('/', () => idsPage());
