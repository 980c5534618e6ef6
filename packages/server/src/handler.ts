import type { DescribeResponse, IssueResponse } from '@ids/http/wire';
import { Hono } from 'hono';
import { Access, type Client, type Visitor } from './access.js';
import { bodyOf } from './body.js';
import { describe } from './describe.js';
import { issue, servedAs } from './issue.js';
import { describeSequence, lease } from './lease.js';
import { type Limits, limitsOf } from './limits.js';
import { readHighest, readProvenance } from './look-ups.js';
import {
  type Exchange,
  type Notes,
  type Route,
  recognised,
  reported,
  routed,
  withinCapacity,
} from './middleware.js';
import { openApiDocument, reading, taking } from './openapi.js';
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
import { jsonResponse } from './responses.js';
import { ISSUE, LEASE } from './schemas.js';
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
  const app = new Hono<{ Bindings: Notes }>().basePath(`${basePath}/v1`);
  const limited = withinCapacity(limits.concurrentRequests);
  const known = recognised(access, limits.bodyBytes);
  const admitted = (route: Route): Route => routed(limited(known(route)));

  if (allowedOrigins.length > 0) app.use(allowing(allowedOrigins));
  // Without a token: the document has no secrets, and tools read it without one.
  app.get('/openapi.json', routed(limited(openApiDocument(app))));

  const describeThem: Route = async (c) => {
    const visitor = visitorOf(c);
    const name = c.req.query('name');
    if (name !== undefined) visitor.assertMay('read', name);
    const names = name === undefined ? Object.keys(generators).filter(visitor.sees) : [name];
    const found = names.map((one) => describe(one, servedAs(generators, one), limits, visitor));
    const body: DescribeResponse = { generators: found };
    return jsonResponse(body);
  };
  app.get('/generators', reading(DESCRIBE, admitted(describeThem)));

  const startedAt = performance.now();
  const readStatus: Route = async (c) => {
    const names = Object.keys(generators).filter(visitorOf(c).sees);
    const found = names.map((name) => statusOf(name, servedAs(generators, name), tallies));
    const body: Status = { upSeconds: (performance.now() - startedAt) / 1_000, generators: found };
    return jsonResponse(body);
  };
  app.get('/status', reading(READ_STATUS, admitted(readStatus)));

  /** Answers with what `read` finds out about the generator in the query. */
  const aboutOne =
    <T extends object>(read: (asked: Asked) => Promise<T>): Route =>
    async (c) => {
      const { name, ...query } = c.req.query();
      if (name === undefined) throw badRequest('the query must have the "name" of a generator');
      visitorOf(c).assertMay('read', name);
      const served = servedAs(generators, name);
      const found = await duringLife(c.req.raw, undefined, ({ signal }) =>
        read({ name, served, query, signal }),
      );
      return jsonResponse(found);
    };
  app.get('/sequences', reading(READ_SEQUENCE, admitted(aboutOne(describeSequence))));
  app.get('/highest', reading(READ_HIGHEST, admitted(aboutOne(readHighest))));
  app.get('/provenance', reading(READ_PROVENANCE, admitted(aboutOne(readProvenance))));

  const issueIds: Route = async (c) => {
    const request = await bodyOf(c, ISSUE);
    c.env.nonce = request.nonce;
    const visitor = visitorOf(c);
    for (const { generator } of request.calls) visitor.assertMay('issue', generator);
    const count = request.calls.reduce((sum, call) => sum + call.count, 0);
    const { idsPerRequest } = limits;
    if (count > idsPerRequest)
      throw badRequest(`a request may have at most ${idsPerRequest} ids, over all calls; got ${count}`);
    visitor.charge(count);
    const { timeoutMs, nonce } = request;
    const report = await duringLife(c.req.raw, timeoutMs, (life) =>
      issue(request, { generators, tallies, visitor, limits, life }),
    );
    const { problem, results, ids, untaken, errors } = report;
    visitor.refund(untaken);
    c.env.ids = ids;
    c.env.errors = errors;
    const body: IssueResponse = nonce === undefined ? { results } : { nonce, results };
    return problem === undefined ? jsonResponse(body) : problemResponse(problem, body);
  };
  app.post('/ids', taking(ISSUE_IDS, ISSUE, admitted(issueIds)));

  const leaseRange: Route = async (c) => {
    const request = await bodyOf(c, LEASE);
    const { generator, nonce, timeoutMs } = request;
    c.env.nonce = nonce;
    const visitor = visitorOf(c);
    visitor.assertMay('lease', generator);
    const served = servedAs(generators, generator);
    const tally = tallies.of(generator, served.generator);
    const leased = await duringLife(c.req.raw, timeoutMs, ({ signal }) =>
      lease(request, { served, visitor, limits, signal }),
    ).catch((error: unknown) => {
      tally.failed(error);
      throw error;
    });
    const { low, high } = leased;
    tally.gave(visitor.name, { way: 'leased', low, high });
    c.env.ids = high - low + 1;
    return jsonResponse(leased);
  };
  app.post('/leases', taking(LEASE_RANGE, LEASE, admitted(leaseRange)));

  const nothing: Route = async (c) =>
    problemResponse(new Problem(404, 'ERR_IDS_CONFIG', `there is nothing at ${c.req.method} ${c.req.path}`));
  app.notFound(limited(known(nothing)));
  app.onError((error, c) => {
    c.env.errors = [error];
    const { nonce } = c.env;
    return problemResponse(problemOf(error), nonce === undefined ? {} : { nonce });
  });

  return reported(app.fetch, onRequest);
}

function visitorOf(c: Exchange): Visitor {
  const { visitor } = c.env;
  if (visitor === undefined) throw new TypeError('unreachable: every request has a visitor');
  return visitor;
}
