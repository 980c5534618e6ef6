import { Problem, problemResponse } from '../problems.js';

/** Whether only this machine reaches a server at this host. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/.test(host);
}

/**
 * Refuses requests that were not sent to a loopback address by name: the page of a website, in a browser of
 * this machine, could have a name of its own that resolves to 127.0.0.1.
 */
export function forThisMachine(
  handler: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (isLoopback(new URL(request.url).hostname)) return handler(request);
    const detail = 'a server without tokens answers only at 127.0.0.1, ::1 and localhost';
    return problemResponse(new Problem(403, 'ERR_IDS_CONFIG', detail));
  };
}
