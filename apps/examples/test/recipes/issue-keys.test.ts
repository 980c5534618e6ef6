import { ensureKeyedSchema, raiseKey } from '@ids/keyed/sql';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, fromPg } from '@ids/segment/sql';
import { drizzle } from 'drizzle-orm/node-postgres';
import { expect, inject, it } from 'vitest';
import { createIssues, findIssue, openIssueNumbers } from '../../src/recipes/issue-keys.js';
import { ownSchema } from '../support/own-schema.js';

it('Drizzle gets issue keys that count by project, in several processes', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const executor = fromPg(schema.pool);
  await ensureKeyedSchema(executor);
  await createSequence(executor, 'issue');
  // A project that had issues before.
  await raiseKey(executor, 'issue', 'OLD', 122);
  await schema.pool.query(
    'CREATE TABLE issue (project text, number bigint, title text NOT NULL, PRIMARY KEY (project, number))',
  );
  await using one = await openIssueNumbers(schema.url);
  await using other = await openIssueNumbers(schema.url);
  const db = drizzle({ client: schema.pool });

  expect(await createIssues(db, one, 'PROJ', ['first', 'second'])).toEqual(['PROJ-1', 'PROJ-2']);
  expect(await createIssues(db, other, 'PROJ', ['third'])).toEqual(['PROJ-3']);
  expect(await createIssues(db, one, 'OLD', ['again'])).toEqual(['OLD-123']);
  expect(await createIssues(db, one, 'OLD', [])).toEqual([]);
  const titles = Array.from({ length: 20 }, (_, i) => `title ${i}`);
  const keys = await Promise.all(
    titles.map((title, i) => createIssues(db, i % 2 === 0 ? one : other, 'SERVE', [title])),
  );
  expect(new Set(keys.flat())).toEqual(new Set(titles.map((_, i) => `SERVE-${i + 1}`)));
  expect(await findIssue(db, keys[7]?.[0] ?? '')).toMatchObject({ project: 'SERVE', title: 'title 7' });
  for (const none of ['PROJ-4', 'PROJ-0x3', 'PROJ-3-4', 'PROJ-three'])
    expect(await findIssue(db, none)).toBeUndefined();
  await expect(createIssues(db, one, 'no project', ['x'])).rejects.toThrow('"accept"');
});
