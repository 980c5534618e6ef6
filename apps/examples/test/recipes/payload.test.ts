import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createUuid7Generator, isUuid7 } from '@ids/uuid7';
import { type CollectionConfig, getPayload, handleEndpoints } from 'payload';
import { expect, inject, it } from 'vitest';
import { cmsConfig, withIds } from '../../src/recipes/payload.js';
import { ownSchema } from '../support/own-schema.js';

const collection = (slug: string): CollectionConfig => ({
  slug,
  access: { create: () => true, read: () => true },
  fields: [{ name: 'title', type: 'text' }],
  versions: { drafts: true },
});

it('Payload gives documents, drafts and duplicates ids, and lets no stranger name one', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('DROP TABLE orders');
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool });
  await using uuids = createUuid7Generator();
  const options = { secret: 'a secret', connectionString: schema.url, schemaName: schema.name };
  const collections = [withIds(collection('pages'), ids), withIds(collection('notes'), uuids)];
  const config = await cmsConfig(collections, options);
  const payload = await getPayload({ config });
  const create = (data: object, options = {}) => payload.create({ collection: 'pages', data, ...options });
  const rest = (path: string, data: object) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const request = new Request(`http://localhost/api/${path}`, { ...init, body: JSON.stringify(data) });
    return handleEndpoints({ config, request });
  };
  const stored = async (sql: string) => (await schema.pool.query(sql)).rows.map(({ text }) => text);
  try {
    await create({ title: 'local' });
    await create({ title: 'named', id: 2 ** 53 - 1 });
    await create({ title: 'for a stranger', id: 7 }, { overrideAccess: false });
    await rest('pages', { title: 'of a stranger', id: 8 });
    await rest('pages/3/duplicate', { title: 'duplicate', id: 9 });
    await create({ title: 'draft' }, { draft: true });
    await payload.update({ collection: 'pages', id: 5, data: { title: 'newer', id: 10 }, draft: true });
    await expect(create({ title: 'bigint', id: 2n ** 53n + 1n })).rejects.toThrow();
    const pages = "SELECT concat_ws(' ', id, title, pg_typeof(id)) AS text FROM pages ORDER BY id";
    expect(await stored(pages)).toEqual([
      '1 local numeric',
      '2 for a stranger numeric',
      '3 of a stranger numeric',
      '4 duplicate numeric',
      '5 draft numeric',
      '9007199254740991 named numeric',
    ]);
    const versions = "SELECT concat_ws(' of ', version_title, parent_id) AS text FROM _pages_v ORDER BY id";
    expect((await stored(versions)).slice(-2)).toEqual(['draft of 5', 'newer of 5']);

    const titles = ['a', 'b', 'c', 'd'];
    await Promise.all(titles.map((title) => rest('notes', { title, id: title })));
    const notes = 'SELECT id AS text FROM notes ORDER BY title';
    expect(await stored(notes)).toEqual(titles.map(() => expect.toSatisfy(isUuid7)));
  } finally {
    await payload.destroy();
  }
});
