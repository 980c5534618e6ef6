import { HTML, POLICY } from './page.generated.js';

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * A page for people about the generators of a handler, whose `/v1` is beside it: for a handler at
 * `/ids/v1`, serve it at `/ids/`. It contains no data, so it needs no token. It asks for one, and reads
 * `/v1/status` with it.
 */
export function idsPage(): Response {
  return new Response(HTML, { headers: HEADERS });
}
