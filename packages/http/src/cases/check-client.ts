import { isDeepStrictEqual } from 'node:util';
import { type ClientCase, clientCases } from './case-files.js';
import type { ClientProgram } from './client-program.js';
import { type ScriptedServer, startScriptedServer } from './scripted-server.js';

/** What became of a case. */
export interface CaseResult {
  readonly title: string;
  /** Whether the client says that it cannot do this. */
  readonly unsupported: boolean;
  /** What was wrong; nothing if it passed. */
  readonly problems: readonly string[];
}

/** Runs the cases for clients, or those with the titles `only`, one after another. */
export async function checkClient(program: ClientProgram, only?: readonly string[]): Promise<CaseResult[]> {
  await using server = await startScriptedServer();
  const results: CaseResult[] = [];
  for (const one of clientCases()) {
    if (only?.includes(one.title) ?? true) results.push(await runCase(one, program, server));
  }
  return results;
}

async function runCase(
  { title, deadlineMs, token, calls }: ClientCase,
  program: ClientProgram,
  server: ScriptedServer,
): Promise<CaseResult> {
  const problems: string[] = [];
  server.begin(token);
  await program.ask({ open: server.url, deadlineMs, ...(token !== undefined && { token }) });
  for (const { call, exchanges, replies } of calls) {
    server.say(exchanges);
    const reply = await program.ask(call);
    problems.push(...server.problems());
    if (reply.unsupported === true) return { title, unsupported: true, problems };
    if (replies.some((expected) => isDeepStrictEqual(expected, reply))) continue;
    const accepted = replies.map((expected) => JSON.stringify(expected)).join(' or ');
    problems.push(`${JSON.stringify(call)}: must reply ${accepted}, got ${JSON.stringify(reply)}`);
  }
  return { title, unsupported: false, problems };
}
