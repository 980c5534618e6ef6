import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { unkept } from './responses.js';

/** For how long a browser may remember that it may ask, in seconds. */
const REMEMBER_SECONDS = 600;

/** Whether this is the origin of web pages: a scheme, a host and perhaps a port. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Lets web pages of these origins send requests and read answers, failures too. Throws a `TypeError`. */
export function allowing(origins: readonly string[]): MiddlewareHandler {
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong !== undefined)
    throw new TypeError(
      `allowedOrigins: must have origins such as "https://example.com", got ${JSON.stringify(wrong)}`,
    );
  const allow = cors({
    origin: [...origins],
    allowMethods: ['GET', 'POST'],
    allowHeaders: ['authorization', 'content-type'],
    exposeHeaders: ['retry-after'],
    maxAge: REMEMBER_SECONDS,
  });
  return async (c, next) => {
    const preflight = await allow(c, next);
    return preflight && unkept(preflight);
  };
}
