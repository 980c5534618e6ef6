import { IdError, type IdErrorCode } from '@ids/core';
import type { WireProblem } from './wire.js';

/** The longest pause that a server can ask for, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000;

/** A server refused a request, or something before it did. */
export class RefusedError extends IdError {
  /** The status of the response. */
  readonly status: number;
  /** How long to wait before the next request, in milliseconds; 0 if the server does not say. */
  readonly pauseMs: number;
  /** The whole problem, with members that only some problems have; undefined if the body was none. */
  readonly problem: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: IdErrorCode,
    message: string,
    {
      status,
      pauseMs = 0,
      problem,
    }: { status: number; pauseMs?: number; problem?: Readonly<Record<string, unknown>> },
  ) {
    super(code, message);
    this.status = status;
    this.pauseMs = pauseMs;
    this.problem = problem;
  }
}

/** Whether a server refused a request as it is, such as one for more ids than its client may ever take. */
export function isBadRequest(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 400;
}

/** The codes that a server may send. With another one, a client of this version could not work. */
const CODES: readonly IdErrorCode[] = [
  'ERR_IDS_NOT_READY',
  'ERR_IDS_UNAVAILABLE',
  'ERR_IDS_TIMEOUT',
  'ERR_IDS_CLOCK',
  'ERR_IDS_CONFIG',
  'ERR_IDS_UNMET',
  'ERR_IDS_EXHAUSTED',
  'ERR_IDS_REGRESSED',
  'ERR_IDS_REALM',
];

/** The error for a response without ids. `body` is what was in it, if that was JSON. */
export function refusalOf(server: string, response: Response, body: unknown): RefusedError {
  const { status } = response;
  const pauseMs = pauseOf(response);
  if (isProblem(body)) return refusalFor(server, body, { status, pauseMs });
  const passing = status === 429 || status >= 500;
  const why = `answered ${status || 'with a redirect'} without problem details`;
  return passing
    ? new RefusedError('ERR_IDS_UNAVAILABLE', `${server} ${why}`, { status, pauseMs })
    : new RefusedError('ERR_IDS_CONFIG', `${server} ${why}: "url" must be that of an ids server`, { status });
}

/** The error for a problem in a response. */
export function refusalFor(
  server: string,
  problem: WireProblem,
  { status = problem.status, pauseMs = 0 }: { status?: number; pauseMs?: number } = {},
): RefusedError {
  const message = `${server} answered ${status}: ${problem.detail}`;
  return new RefusedError(problem.code, message, { status, pauseMs, problem: { ...problem } });
}

function isProblem(value: unknown): value is WireProblem {
  const { code, detail } = Object(value) as Partial<WireProblem>;
  return typeof detail === 'string' && CODES.includes(code as IdErrorCode);
}

/** `Retry-After` in milliseconds. Only seconds are understood: servers of ids send no dates. */
function pauseOf({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return seconds > 0 ? Math.min(LONGEST_PAUSE_MS, seconds * 1_000) : 0;
}
