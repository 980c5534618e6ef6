import { type ServerCase, serverCases } from './case-files.js';
import type { CaseResult } from './check-client.js';
import { differences } from './differences.js';
import { ServerRules } from './server-rules.js';

type Step = ServerCase['steps'][number];

/** Runs the cases for servers, one after another, against one that was set up as their README says. */
export async function checkServer(
  url: string,
  send: (request: Request) => Promise<Response> = fetch,
): Promise<CaseResult[]> {
  const rules = new ServerRules();
  const results: CaseResult[] = [];
  for (const { title, steps } of serverCases()) {
    const problems: string[] = [];
    for (const step of steps) problems.push(...(await runStep(url, step, send, rules)));
    results.push({ title, unsupported: false, problems });
  }
  return results;
}

async function runStep(
  url: string,
  { request, response: expected }: Step,
  send: (request: Request) => Promise<Response>,
  rules: ServerRules,
): Promise<string[]> {
  const { method, path, token, headers, text, blanks } = request;
  const body = request.body && { nonce: crypto.randomUUID(), ...request.body };
  const sent = text === undefined ? JSON.stringify(body) : text + ' '.repeat(blanks);
  const response = await send(
    new Request(`${url}/v1${path}`, {
      method,
      headers: {
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    }),
  );
  const answer: unknown = await response.json().catch(() => undefined);
  const found = { status: response.status, headers: Object.fromEntries(response.headers), body: answer };
  const problems = [...differences(expected, found), ...rules.broken(path, body, response, answer)];
  return problems.map((problem) => `${method} ${path} ${sent?.slice(0, 200) ?? ''}: ${problem}`);
}
