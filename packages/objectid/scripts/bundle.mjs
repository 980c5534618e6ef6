// What Node.js loads: each entry as one file. Forty small modules take it ten times as long, and a second
// file as long as all that is in both. Bundlers get the modules themselves, of which they keep what is used.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Its own way to read the clock is the faster one in Node.js, and the slower one wherever else
 * there is one by that name.
 */
const nodeClock = {
  name: 'node-clock',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/exact-clock\.js$/ }, () => ({ path: `${root}src/exact-clock.node.ts` })),
};

await build({
  absWorkingDir: root,
  entryPoints: ['index', 'bson/index', 'tools/index', 'machine-pid/index'].map((entry) => `src/${entry}.ts`),
  outdir: 'dist/node',
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  plugins: [nodeClock],
  // All count together, so the others take what holds the counter from the main entry.
  external: ['node:*', '../index.js'],
  // Half of what it takes to load the file is to read its text: comments and
  // indentation are in the source map.
  minifyWhitespace: true,
  lineLimit: 120,
  sourcemap: true,
});
