/** What is kept and given to another request is an id that was issued before. */
const NO_STORE = { 'cache-control': 'no-store' } as const;

const JSON_HEADERS = { 'content-type': 'application/json', ...NO_STORE } as const;

/**
 * A response in JSON that nothing keeps. Its headers are an object: to make `Headers`, and to read them again
 * to send them, takes longer than to issue an id.
 */
export function jsonResponse(
  body: object,
  status = 200,
  headers?: Readonly<Record<string, string>>,
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
  });
}

/** The same for a response that others made. */
export function unkept(response: Response): Response {
  for (const [name, value] of Object.entries(NO_STORE)) response.headers.set(name, value);
  return response;
}
