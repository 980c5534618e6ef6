import type { DescribeResponse, IssueResponse } from '@ids/http/wire';
import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { validator } from 'hono-openapi';
import type * as v from 'valibot';
import { Access, type Client, type Visitor } from './access.js';
import { describe } from './describe.js';
import { issue, servedAs } from './issue.js';
import { describeSequence, lease } from './lease.js';
import { type Limits, limitsOf } from './limits.js';
import { readHighest, readProvenance } from './look-ups.js';
import { type Notes, reported, withinCapacity, withinLength } from './middleware.js';
import { openApiDocument, reading, TO_JSON_SCHEMA, taking } from './openapi.js';
import {
  DESCRIBE,
  ISSUE_IDS,
  LEASE_RANGE,
  READ_HIGHEST,
  READ_PROVENANCE,
  READ_SEQUENCE,
} from './operations.js';
import { allowing } from './origins.js';
import { badRequest, Problem, problemOf, problemResponse } from './problems.js';
import { duringLife } from './request-life.js';
import type { RequestListener } from './request-report.js';
import { ISSUE, issueText, LEASE } from './schemas.js';
import { type Asked, assertServable, type ServedGenerators } from './served.js';
import { READ_STATUS, statusOf } from './status.js';
import type { Status } from './status-schema.js';
import { Tallies } from './tally.js';

export interface IdsHandlerOptions {
  /** By the names that clients use. Read at each request. The caller closes the generators. */
  readonly generators: ServedGenerators;
  /** Who may use them. Without it, whoever reaches the handler may do everything but raise sequences. */
  readonly clients?: readonly Client[] | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** The path before `/v1`, such as `/ids`; by default none. */
  readonly basePath?: string | undefined;
  /** Of web pages that may use it, such as `https://example.com`; none by default. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Called after each request. It must not throw. Only messages of errors name backends. */
  readonly onRequest?: RequestListener | undefined;
}

/**
 * Serves generators over HTTP, below `/v1`: a function from a `Request` to a `Response`, for any server that
 * has `fetch` handlers. Throws a `TypeError` if a generator does not say from which store its ids come, or if
 * a client or an origin is described wrongly, and a `RangeError` for a limit.
 */
export function createIdsHandler(options: IdsHandlerOptions): (request: Request) => Promise<Response> {
  return handlerWith(options, { access: new Access(options.clients), tallies: new Tallies() });
}

/** What a handler shares with the process around it. */
export interface HandlerParts {
  readonly access: Access;
  readonly tallies: Tallies;
}

/** The same with parts that others read too. */
export function handlerWith(
  options: Omit<IdsHandlerOptions, 'clients'>,
  { access, tallies }: HandlerParts,
): (request: Request) => Promise<Response> {
  const { generators, basePath = '', allowedOrigins = [], onRequest } = options;
  assertServable(generators);
  const limits = limitsOf(options.limits);
  const app = new Hono<Notes>().basePath(`${basePath}/v1`);

  app.use(reported(onRequest));
  if (allowedOrigins.length > 0) app.use(allowing(allowedOrigins));
  app.use(withinCapacity(limits.concurrentRequests));
  // Before tokens are asked for: the document has no secrets, and tools read it without one.
  app.get('/openapi.json', openApiDocument(app));
  app.use(async (c, next) => {
    c.set('visitor', await access.visitor(c.req.header('authorization')));
    await next();
  });
  app.use(withinLength(limits.bodyBytes));

  app.get('/generators', reading(DESCRIBE), (c) => {
    const visitor = visitorOf(c);
    const name = c.req.query('name');
    if (name !== undefined) visitor.assertMay('read', name);
    const names = name === undefined ? Object.keys(generators).filter(visitor.sees) : [name];
    const found = names.map((one) => describe(one, servedAs(generators, one), limits));
    const body: DescribeResponse = { generators: found };
    return c.json(body);
  });

  const startedAt = performance.now();
  app.get('/status', reading(READ_STATUS), (c) => {
    const names = Object.keys(generators).filter(visitorOf(c).sees);
    const found = names.map((name) => statusOf(name, servedAs(generators, name), tallies));
    const body: Status = { upSeconds: (performance.now() - startedAt) / 1_000, generators: found };
    return c.json(body);
  });

  /** Answers with what `read` finds out about the generator in the query. */
  const aboutOne =
    <T extends object>(read: (asked: Asked) => Promise<T>) =>
    async (c: Context<Notes>) => {
      const { name, ...query } = c.req.query();
      if (name === undefined) throw badRequest('the query must have the "name" of a generator');
      visitorOf(c).assertMay('read', name);
      const served = servedAs(generators, name);
      const found = await duringLife(c.req.raw, undefined, ({ signal }) =>
        read({ name, served, query, signal }),
      );
      return c.json(found);
    };
  app.get('/sequences', reading(READ_SEQUENCE), aboutOne(describeSequence));
  app.get('/highest', reading(READ_HIGHEST), aboutOne(readHighest));
  app.get('/provenance', reading(READ_PROVENANCE), aboutOne(readProvenance));

  app.post('/ids', taking(ISSUE_IDS), validator('json', ISSUE, refuse, TO_JSON_SCHEMA), async (c) => {
    const request = c.req.valid('json');
    c.set('nonce', request.nonce);
    const visitor = visitorOf(c);
    for (const { generator } of request.calls) visitor.assertMay('issue', generator);
    const count = request.calls.reduce((sum, call) => sum + call.count, 0);
    const { idsPerRequest } = limits;
    if (count > idsPerRequest)
      throw badRequest(`a request may have at most ${idsPerRequest} ids, over all calls; got ${count}`);
    visitor.charge(count);
    const { timeoutMs, nonce } = request;
    const report = await duringLife(c.req.raw, timeoutMs, (life) =>
      issue(request, { generators, tallies, client: visitor.name, life }),
    );
    const { problem, results, ids, untaken, errors } = report;
    visitor.refund(untaken);
    c.set('ids', ids);
    c.set('errors', errors);
    const body: IssueResponse = { ...(nonce !== undefined && { nonce }), results };
    return problem === undefined ? c.json(body) : problemResponse(problem, body);
  });

  app.post('/leases', taking(LEASE_RANGE), validator('json', LEASE, refuse, TO_JSON_SCHEMA), async (c) => {
    const request = c.req.valid('json');
    const { generator, nonce, timeoutMs } = request;
    c.set('nonce', nonce);
    const visitor = visitorOf(c);
    visitor.assertMay('lease', generator);
    const served = servedAs(generators, generator);
    const counted = { name: generator, generator: served.generator, client: visitor.name };
    const leased = await tallies.count(
      counted,
      () =>
        duringLife(c.req.raw, timeoutMs, ({ signal }) => lease(request, { served, visitor, limits, signal })),
      ({ low, high }) => ({ way: 'leased', low, high }),
    );
    c.set('ids', leased.high - leased.low + 1);
    return c.json(leased);
  });

  app.notFound((c) =>
    problemResponse(new Problem(404, 'ERR_IDS_CONFIG', `there is nothing at ${c.req.method} ${c.req.path}`)),
  );
  app.onError((error, c) => {
    c.set('errors', [error]);
    const nonce = c.get('nonce');
    // Of the validator: the body is no JSON.
    const wrong = error instanceof HTTPException ? badRequest('the body must be JSON') : error;
    return problemResponse(problemOf(wrong), nonce === undefined ? {} : { nonce });
  });

  return async (request) => {
    const response = await app.fetch(request);
    // What is kept and given to another request is an id that was issued before.
    response.headers.set('cache-control', 'no-store');
    return response;
  };
}

type Result = { readonly success: boolean; readonly error?: unknown };

/** For the validator of bodies. */
function refuse({ success, error }: Result): void {
  if (!success) throw badRequest(issueText(error as readonly v.BaseIssue<unknown>[]));
}

function visitorOf(c: Context<Notes>): Visitor {
  const visitor = c.get('visitor');
  if (visitor === undefined) throw new TypeError('unreachable: every request has a visitor');
  return visitor;
}
