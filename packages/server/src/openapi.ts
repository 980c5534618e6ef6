import type { Hono } from 'hono';
import { describeRoute, generateSpecs, resolver } from 'hono-openapi';
import type * as v from 'valibot';
import type { Notes, Route } from './middleware.js';
import { PROBLEM } from './response-schemas.js';
import { jsonResponse } from './responses.js';

/** Checks that JSON Schema cannot express, such as the bytes of a key, are left out of the document. */
const TO_JSON_SCHEMA = { options: { errorMode: 'ignore' } } as const;

/** The version of the API; not that of the package. */
const VERSION = '1.0.0';

const problems = (...statuses: readonly [number, string][]) =>
  Object.fromEntries(
    statuses.map(([status, description]) => [
      status,
      { description, content: { 'application/problem+json': { schema: resolver(PROBLEM, TO_JSON_SCHEMA) } } },
    ]),
  );

const UNCHANGED: readonly [number, string][] = [
  [400, 'The request is wrong, or above a limit.'],
  [401, 'There is no such client.'],
  [403, 'The client may not do this.'],
  [404, 'There is no such generator.'],
  [500, 'The server is not set up for this, or failed.'],
  [503, 'The store cannot be used, or there are too many requests; `Retry-After` says when to ask again.'],
];

const TAKING: readonly [number, string][] = [
  ...UNCHANGED,
  [409, 'No retry helps: ids are used up, the store went back, or the sequence has moved.'],
  [413, 'The body is too long.'],
  [429, 'The quota of the client is used up until `Retry-After`.'],
  [504, 'No id came in time.'],
];

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly answer: v.GenericSchema;
  /** What must be in the query of an operation that reads, and what may be. */
  readonly query?: Query;
  readonly optional?: Query;
}

/** Descriptions by name. */
type Query = Readonly<Record<string, string>>;

const answered = (answer: v.GenericSchema) => ({
  200: {
    description: 'Done.',
    content: { 'application/json': { schema: resolver(answer, TO_JSON_SCHEMA) } },
  },
});

/** Puts what `describeRoute` makes on the route itself: middleware before it takes time with each request. */
function described(description: Parameters<typeof describeRoute>[0], route: Route): Route {
  return Object.assign(route, describeRoute(description));
}

/** Describes an operation that takes ids, with the schema of its body. */
export function taking({ answer, ...operation }: Operation, body: v.GenericSchema, route: Route): Route {
  const schema = resolver(body, TO_JSON_SCHEMA);
  return described(
    {
      ...operation,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { ...answered(answer), ...problems(...TAKING) },
    },
    route,
  );
}

function parametersOf(query: Query, required: boolean) {
  return Object.entries(query).map(([name, description]) => {
    return { name, in: 'query' as const, required, description, schema: { type: 'string' as const } };
  });
}

/** Describes an operation that only reads, about what is in the query. */
export function reading({ answer, query = {}, optional = {}, ...operation }: Operation, route: Route): Route {
  const parameters = [...parametersOf(query, true), ...parametersOf(optional, false)];
  return described(
    {
      ...operation,
      parameters,
      responses: {
        ...answered(answer),
        ...problems(...UNCHANGED, [409, 'It leases no ranges, or keeps no grant log.']),
      },
    },
    route,
  );
}

const DOCUMENT: Parameters<typeof generateSpecs>[1] = {
  documentation: {
    info: {
      title: 'IDs over HTTP',
      version: VERSION,
      description:
        'Issues unique ids. A client chooses a nonce for each request, refuses an answer that does not repeat ' +
        'it, and refuses ids of another realm than before. A request that is sent twice takes ids twice.',
    },
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    // Either with a token, or on a server without clients.
    security: [{ token: [] }, {}],
  },
  defaultValidationErrorResponse: false,
};

/** The route of the document. */
export function openApiDocument(app: Hono<{ Bindings: Notes }>): Route {
  // Of the routes that the application has when it is asked first.
  let document: ReturnType<typeof generateSpecs> | undefined;
  return async () => {
    document ??= generateSpecs(app, DOCUMENT);
    return jsonResponse(await document);
  };
}
