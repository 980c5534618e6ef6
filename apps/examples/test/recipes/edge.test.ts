import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { expect, it } from 'vitest';
import recipe from '../../src/recipes/edge.js';
import { edgeProblems } from '../support/edge-answers.js';

it('workerd issues rising ids with the time of each request, from one file without modules of Node.js', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/recipes/edge.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    // As wrangler bundles for workerd. An import of `node:` would be an error here.
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
  });
  const script = outputFiles[0]?.text ?? '';
  const edge = new Miniflare({ modules: true, script, compatibilityDate: '2025-01-01' });
  try {
    expect(await edgeProblems(() => edge.dispatchFetch('http://edge/'))).toEqual([]);
  } finally {
    await edge.dispose();
  }
});

it('the check finds an answer that does not change, or is of another time', async () => {
  const answer = recipe.fetch();
  const problems = await edgeProblems(async () => answer.clone());
  expect(problems.join('\n')).toContain('request 20: the UUID must be above the last');
  expect(problems.join('\n')).toContain('the ObjectId must be above the last');
});
