import { Hono } from 'hono';
import { idsPage } from '../page-response.js';
import { problemOf, problemResponse } from '../problems.js';

export type Handler = (request: Request) => Promise<Response>;

/** Adds what a process serves besides the API. */
export type Part = (app: Hono) => void;

/** Serves these parts, and everything else from `handler`. */
export function beside(handler: Handler, ...parts: readonly Part[]): Handler {
  const app = new Hono();
  for (const add of parts) add(app);
  app.onError((error) => problemResponse(problemOf(error)));
  // Not mounted: that would make another request of each one.
  app.notFound((c) => handler(c.req.raw));
  return async (request) => app.fetch(request);
}

/** The page for people, at `/`. */
export const page: Part = (app) => void app.get('/', () => idsPage());
