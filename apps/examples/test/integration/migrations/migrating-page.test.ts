import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { excerptsOf, unindented } from '../../support/excerpts.js';
import { guideSteps } from '../../support/migration-guide.js';

const root = new URL('../../../../../', import.meta.url);
const tests = new URL('./', import.meta.url);
const programs = readdirSync(tests)
  .filter((name) => name !== 'migrating-page.test.ts')
  .map((name) => readFileSync(new URL(name, tests), 'utf8'))
  .join('\n');

describe('docs/migrating.md', () => {
  it.each([...guideSteps.keys()])('has SQL that a test runs: %s', (name) => {
    expect(programs).toMatch(new RegExp(`runStep\\(\\w+, '${name}'`));
  });

  const inUse = /ALTER (SEQUENCE|TABLE (orders|order_lines|id_segment)) /;
  it.each([...guideSteps].filter(([, sql]) => inUse.test(sql)))(
    'limits how long others wait behind it: %s',
    (_, sql) => {
      expect(sql.split(inUse)[0]).toMatch(/^SET (LOCAL|SESSION) lock_(wait_)?timeout/m);
    },
  );

  it.each(excerptsOf('docs/migrating.md'))('shows $path as it stands', ({ path, code }) => {
    expect(unindented(readFileSync(new URL(path, root), 'utf8'))).toContain(unindented(code));
  });
});
