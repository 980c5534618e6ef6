import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type Candidate, standalonePicture } from '../src/report/rate-chart.js';

it.each([
  ['wide', 'bench-report.svg'],
  ['narrow', 'bench-report-narrow.svg'],
] as const)(
  'the documentation has the %s picture as a report draws it: the script "picture" makes it',
  async (size, file) => {
    const points = await readFile(new URL('../../../docs/bench-report.json', import.meta.url), 'utf8');
    const { candidates } = JSON.parse(points) as { readonly candidates: readonly Candidate[] };
    await expect(standalonePicture(candidates, size)).toMatchFileSnapshot(`../../../docs/${file}`);
  },
);
