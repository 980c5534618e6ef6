import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { createIdsHandler } from '../src/handler.js';
import { openMemoryFamily } from './support/memory-family.js';
import { newToken } from './support/tokens.js';

const source = new MemorySegmentSource({ order: {} });
const { realm } = await source.describe('order');
const generator = await createSegmentInprocGenerator({ name: 'order', source });
const keyed = await openMemoryFamily();
const whoIssued = async (id: string) => [{ name: 'owner', value: `who reserved ${id}` }];
const generators = {
  order: { generator, realm, lease: { source, sequence: 'order' }, whoIssued },
  message: { generator: keyed, realm: 'keys' },
};
const handler = createIdsHandler({ generators });

type Json = Readonly<Record<string, unknown>>;
interface Document extends Json {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: Json }>>;

async function documentOf(served = handler): Promise<Document> {
  const response = await served(new Request('http://ids/v1/openapi.json'));
  expect(response.status).toBe(200);
  return (await response.json()) as Document;
}

it('is a valid document of OpenAPI 3.1 with every operation', async () => {
  const document = await documentOf();
  expect(document.openapi).toBe('3.1.0');
  // Copied: the validator changes what it is given.
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  expect(operations.sort()).toEqual([
    'get /v1/generators',
    'get /v1/highest',
    'get /v1/provenance',
    'get /v1/sequences',
    'get /v1/status',
    'post /v1/ids',
    'post /v1/leases',
  ]);
});

it('is read without a token', async () => {
  const clients = [{ name: 'shop', tokens: [newToken().hash], rights: ['issue'] as const }];
  expect((await documentOf(createIdsHandler({ generators, clients }))).openapi).toBe('3.1.0');
});

const ajv = new Ajv2020({ strict: false, validateFormats: false });

it.each([
  ['POST', '/ids', { nonce: 'n1', calls: [{ generator: 'order', count: 2 }, { generator: 'none' }] }, 200],
  ['POST', '/ids', { nonce: 'n1', calls: [{ generator: 'none' }] }, 404],
  ['POST', '/ids', { calls: [] }, 400],
  ['POST', '/leases', { nonce: 'n1', generator: 'order', size: 5 }, 200],
  ['POST', '/leases', { generator: 'order', size: 5, expectedMaxId: 0 }, 409],
  ['POST', '/leases', { generator: 'order', size: 5, floor: 9 }, 403],
  ['GET', '/generators', undefined, 200],
  ['GET', '/sequences', undefined, 400],
  ['GET', '/highest?name=message&key=', undefined, 200],
  ['GET', '/highest?name=message', undefined, 400],
  ['GET', '/highest?name=order&key=a', undefined, 400],
  ['GET', '/provenance?name=order&id=1', undefined, 200],
  ['GET', '/provenance?name=order&id=1&key=a', undefined, 400],
  ['GET', '/provenance?name=order&id=one', undefined, 400],
  ['GET', '/provenance?name=message&id=1&key=a', undefined, 409],
  ['GET', '/status', undefined, 200],
])('%s %s with %j answers as it says', async (method, path, body, status) => {
  const operation = (await documentOf()).paths[`/v1${path.split('?')[0]}`]?.[method.toLowerCase()];
  const init = { method, ...(body && { body: JSON.stringify(body) }) };
  const headers = { 'content-type': 'application/json' };
  const response = await handler(new Request(`http://ids/v1${path}`, { ...init, headers }));
  expect(response.status).toBe(status);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const schema = operation?.responses[status]?.content?.[type]?.schema;
  if (schema === undefined) throw new Error(`the document says nothing about ${status} with ${type}`);
  const answer = await response.json();
  ajv.validate(schema, answer);
  expect(ajv.errors).toBeNull();
  // A schema that accepts anything would say nothing.
  expect(ajv.validate(schema, {})).toBe(false);
  const request = operation?.requestBody?.content['application/json']?.schema;
  if (request !== undefined) expect(ajv.validate(request, body)).toBe(status !== 400);
});
