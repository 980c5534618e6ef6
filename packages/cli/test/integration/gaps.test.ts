import { expect, it } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

it('ids gaps lists what is missing and repeated, and says so by its exit code', async () => {
  const own = await openOwnSchema();
  await own.configure({ order: { strategy: 'segment-inproc' } });
  await own.executor.execute('CREATE TABLE invoices (number bigint, customer text, code text)', []);
  await own.executor.execute(
    `INSERT INTO invoices VALUES (1, 'acme', 'INV-2026-00001'), (2, 'acme', 'INV-2026-00002')`,
    [],
  );
  const gaps = (...args: string[]) => own.ids(['gaps', '--table', 'invoices', ...args]);
  const byCustomer = ['--column', 'number', '--key-column', 'customer'];
  expect(await gaps(...byCustomer)).toMatchObject({
    code: 0,
    stdout: 'no number is missing or repeated\n',
  });
  await own.executor.execute(
    `INSERT INTO invoices VALUES (2, 'acme', 'INV-2026-00005'), (6, 'acme', 'INV-2027-00002')`,
    [],
  );
  expect(await gaps(...byCustomer)).toMatchObject({
    code: 1,
    stdout: 'repeated\t2\tacme\nmissing\t3 to 5\tacme\n',
  });
  expect(await gaps(...byCustomer, '--limit', '1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there are more than 1'),
  });
  const byCode = ['--column', 'code', '--format', 'INV-{yyyy}-{00000}', '--per-year'];
  expect(await gaps(...byCode)).toMatchObject({
    code: 1,
    stdout: 'missing\t3 to 4\t2026\nmissing\t1\t2027\n',
  });
  expect((await gaps(...byCode, '--start', 'lowest')).stdout).toBe('missing\t3 to 4\t2026\n');
  const { stdout } = await own.ids(['--json', 'gaps', '--table', 'invoices', '--column', 'number']);
  expect(JSON.parse(stdout)).toEqual({
    findings: [
      { key: '', kind: 'repeated', first: 2, last: 2 },
      { key: '', kind: 'missing', first: 3, last: 5 },
    ],
    more: false,
  });
  expect(await gaps('--column', 'nothing')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('nothing'),
  });
  expect(await gaps('--column', 'number', '--start', 'first')).toMatchObject({ code: 2 });
});
