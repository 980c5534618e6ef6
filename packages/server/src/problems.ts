import { type IdErrorCode, isIdError } from '@ids/core';
import type { MovedSequence, WireProblem } from '@ids/http/wire';
import { SequenceMovedError } from '@ids/segment';
import { jsonResponse } from './responses.js';

/** A failure of a request, with all that its client may know. */
export class Problem extends Error {
  readonly status: number;
  readonly code: IdErrorCode;
  /** When the client may ask again, in seconds. */
  readonly retryAfter: number | undefined;
  /** Members that only some problems have. */
  readonly more: object;

  constructor(status: number, code: IdErrorCode, detail: string, retryAfter?: number, more: object = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
    this.more = more;
  }
}

/** What was wrong with a request itself: it fails again, unless it is changed. */
export function badRequest(detail: string): Problem {
  return new Problem(400, 'ERR_IDS_CONFIG', detail);
}

export function unknownGenerator(name: string): Problem {
  return new Problem(404, 'ERR_IDS_CONFIG', `there is no generator ${JSON.stringify(name)} on this server`);
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** When to ask again after a failure that may pass, in seconds. */
const SOON = 1;

/**
 * What clients are told of a failure of a generator, by its code. The messages of errors name hosts, tables
 * and servers: they go into the log, never to a client.
 */
const SHOWN: Readonly<Record<IdErrorCode, { readonly status: number; readonly detail: string }>> = {
  ERR_IDS_NOT_READY: { status: 503, detail: 'this generator has no id yet' },
  ERR_IDS_UNAVAILABLE: { status: 503, detail: 'the store of this generator cannot be used at the moment' },
  ERR_IDS_TIMEOUT: { status: 504, detail: 'no id came in time' },
  ERR_IDS_CLOCK: { status: 503, detail: 'the clock of the server moved too far' },
  ERR_IDS_CONFIG: { status: 500, detail: 'the server is not set up for this generator' },
  ERR_IDS_UNMET: { status: 409, detail: 'this generator does not promise what was asked for' },
  ERR_IDS_EXHAUSTED: { status: 409, detail: 'too few ids are left' },
  ERR_IDS_REGRESSED: { status: 409, detail: 'the store went back to an older state, and was not repaired' },
  ERR_IDS_REALM: { status: 500, detail: 'the store is another one than when the server started' },
  ERR_IDS_CLOSED: { status: 503, detail: 'the server is shutting down' },
};

/** The problem behind any error. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // The deadline of the request, or a client that has gone: no reason for a pause.
  if (Object(error).name === 'TimeoutError' || Object(error).name === 'AbortError') {
    return new Problem(504, 'ERR_IDS_TIMEOUT', SHOWN.ERR_IDS_TIMEOUT.detail);
  }
  // A key that the generator does not accept, say. Names and counts were checked before.
  if (error instanceof RangeError) return badRequest('the generator does not accept this key or count');
  if (error instanceof SequenceMovedError) return movedProblem(error);
  if (!isIdError(error)) return new Problem(500, 'ERR_IDS_CONFIG', 'the server failed; its log says why');
  const { status, detail } = SHOWN[error.code];
  // For a client, a closed generator of a server is a server that cannot be used at the moment.
  const code = error.code === 'ERR_IDS_CLOSED' ? 'ERR_IDS_UNAVAILABLE' : error.code;
  return new Problem(status, code, detail, status === 503 || status === 504 ? SOON : undefined);
}

/**
 * Whether ids may have been taken although nobody got them. A client can bring this about at will, with a
 * short time limit or by going away, so these count for its quota. An outage of the store does not.
 */
export function mayHaveTaken({ code }: Problem): boolean {
  return code === 'ERR_IDS_TIMEOUT';
}

function movedProblem({ code, maxId, beginsReign, found }: SequenceMovedError): Problem {
  const moved: MovedSequence = { maxId, beginsReign, ...found };
  return new Problem(
    409,
    code,
    'the sequence is not at "expectedMaxId", or not "within" these reigns',
    undefined,
    { moved },
  );
}

const RETRYABLE: readonly IdErrorCode[] = [
  'ERR_IDS_NOT_READY',
  'ERR_IDS_UNAVAILABLE',
  'ERR_IDS_TIMEOUT',
  'ERR_IDS_CLOCK',
];

/** A problem as JSON. */
export function wireProblem({ status, code, message }: Problem): WireProblem {
  return {
    type: 'about:blank',
    title: TITLES[status] ?? 'Error',
    status,
    detail: message,
    code,
    retryable: RETRYABLE.includes(code),
  };
}

/** The response with a problem; `body` has members besides those of the problem. */
export function problemResponse(problem: Problem, body: object = {}): Response {
  const { status, retryAfter, more } = problem;
  return jsonResponse({ ...wireProblem(problem), ...more, ...body }, status, {
    'content-type': 'application/problem+json',
    ...(retryAfter !== undefined && { 'retry-after': String(Math.ceil(retryAfter)) }),
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
}
