import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type Candidate, standalonePicture } from '../src/report/rate-chart.js';

it('the documentation has the picture as a report draws it: the script "picture" makes it', async () => {
  const points = await readFile(new URL('../../../docs/bench-report.json', import.meta.url), 'utf8');
  const { candidates } = JSON.parse(points) as { readonly candidates: readonly Candidate[] };
  await expect(standalonePicture(candidates)).toMatchFileSnapshot('../../../docs/bench-report.svg');
});
