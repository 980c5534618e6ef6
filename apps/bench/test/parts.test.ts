import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseArguments } from '../src/cli/options.js';
import { writeReport } from '../src/report/files.js';
import { renderHtml } from './support/render.js';
import { faultsFixture, keyedFixture, resultFixture } from './support/result-fixture.js';

it.each([
  ['run', 'bench-report', 'Decision table', resultFixture],
  ['faults', join('bench-report', 'faults'), 'Faults', faultsFixture],
  ['keyed', join('bench-report', 'keyed'), 'Numbers by key', keyedFixture],
])('each command has the same page, in a folder of its own: %s', (command, folder, title, result) => {
  expect(parseArguments([command]).out).toBe(folder);
  const page = renderHtml(result);
  expect(page).toContain(`<h2>${title}</h2>`);
  expect(page).toContain('<h2>Environment</h2>');
  expect(page).toContain(result.startedAt);
});

it('a report has a page, the data, and a config where something was recommended', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const files = { page: '<p>', json: '{}' };
  const out = join(dir, 'a/b');
  expect(await writeReport(out, files)).toEqual({
    html: join(out, 'index.html'),
    json: join(out, 'result.json'),
  });
  expect((await writeReport(out, { ...files, config: '[]' })).config).toBe(join(out, 'ids.config.json'));
  expect(await readFile(join(out, 'ids.config.json'), 'utf8')).toBe('[]\n');
  expect(await readFile(join(out, 'index.html'), 'utf8')).toBe('<p>');
  // What an earlier run recommended does not stay beside a report that recommends nothing.
  await writeReport(out, files);
  expect(await readdir(out)).toEqual(['index.html', 'result.json']);
});
