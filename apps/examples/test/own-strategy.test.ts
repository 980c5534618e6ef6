import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runConformance } from '@ids/conformance';
import type { IdStrategy } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { readmes } from './support/readme.js';

/** Below this package, so that the strategy finds the packages it imports; child processes read it too. */
const folder = new URL('../dist/own-strategy/', import.meta.url);
const page = readmes().find(({ path }) => path === 'docs/writing-a-strategy.md');
mkdirSync(folder, { recursive: true });
for (const [name, text] of page?.files ?? []) writeFileSync(fileURLToPath(new URL(name, folder)), text);

const { counter } = (await import(/* @vite-ignore */ new URL('counter.ts', folder).href)) as {
  readonly counter: IdStrategy;
};

describe('the strategy in docs/writing-a-strategy.md', () => {
  it('has about 40 lines', () => {
    expect(page?.files.get('counter.ts')?.trim().split('\n').length).toBeLessThanOrEqual(44);
  });
});

runConformance(
  {
    name: 'counter',
    module: new URL('counter-subject.ts', folder),
    guarantees: counter.guarantees({ startAt: 1 }),
    fresh: async () => ({ startAt: 1 }),
  },
  { describe, it },
);
