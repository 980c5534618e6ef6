import { faultTest, injectFault } from '@ids/local-services/fault-test';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

faultTest('no command waits without end while somebody has locked the table', async () => {
  const own = await openOwnSchema();
  await own.configure({ order: { strategy: 'segment-inproc' }, bill: { strategy: 'segment-inproc' } });
  await own.ids(['apply']);
  const holder = new pg.Client(own.url);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('CREATE TABLE doc (id bigserial PRIMARY KEY)');
  await holder.query('BEGIN');
  await injectFault(() => holder.query('LOCK TABLE id_segment, doc IN ACCESS EXCLUSIVE MODE'));
  const [doctor, ...others] = await Promise.all([
    own.ids(['doctor', '--json']),
    own.ids(['apply']),
    own.ids(['apply', '--force']),
    own.ids(['swap', '--from', 'order', '--to', 'bill']),
    own.ids(['inspect', 'order']),
    own.ids(['floor', 'order', '2000']),
    own.ids(['migrate', 'order', '--from', 'bigserial', '--table', 'doc']),
    own.ids(['gaps', '--table', 'doc', '--column', 'id']),
  ]);
  expect(doctor.code).toBe(1);
  const { checks } = JSON.parse(doctor.stdout);
  expect(checks).toContainEqual(expect.objectContaining({ what: 'table id_segment', status: 'wrong' }));
  expect(others.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  await holder.query('ROLLBACK');
  expect(await own.ids(['floor', 'order', '2000'])).toMatchObject({ code: 0 });
});
