import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { excerptsOf, unindented } from './support/excerpts.js';
import { readmes } from './support/readme.js';

/** Below this package, so that the strategy finds the packages it imports; child processes read it too. */
const folder = new URL('../dist/own-strategy/', import.meta.url);
const page = readmes().find(({ path }) => path === 'docs/writing-a-strategy.md');
mkdirSync(folder, { recursive: true });
for (const [name, text] of page?.files ?? []) writeFileSync(fileURLToPath(new URL(name, folder)), text);

describe('docs/writing-a-strategy.md', () => {
  it('shows a strategy of about 40 lines', () => {
    expect(page?.files.get('counter.ts')?.trim().split('\n').length).toBeLessThanOrEqual(44);
  });

  it('refuses a thread whose numbers would not be exact, and so repeat', async () => {
    vi.doMock('node:worker_threads', () => ({ threadId: 8_192 }));
    const { counter } = await import(/* @vite-ignore */ new URL('counter.ts?late', folder).href);
    vi.doUnmock('node:worker_threads');
    await expect(counter.create({ startAt: 1 })).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
  });

  it('shows a part of a store as it stands', () => {
    const [{ path, code } = { path: '', code: '' }, ...others] = excerptsOf('docs/writing-a-strategy.md');
    expect(others).toEqual([]);
    const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
    expect(unindented(text)).toContain(unindented(code));
  });
});

// They declare the tests of the page.
await import(/* @vite-ignore */ new URL('counter.test.ts', folder).href);
await import(/* @vite-ignore */ new URL('source.test.ts', folder).href);
