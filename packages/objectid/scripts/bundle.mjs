// What Node.js loads: each entry as one file, and one more for what both share. Forty small modules take it ten times as long.
// Bundlers get the modules themselves, of which they keep what is used.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

await build({
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  entryPoints: ['src/index.ts', 'src/machine-pid/index.ts'],
  outdir: 'dist/node',
  bundle: true,
  // Both entries count together, so what holds the counter must be one module.
  splitting: true,
  chunkNames: 'shared-by-entries',
  format: 'esm',
  platform: 'neutral',
  external: ['node:*'],
  sourcemap: true,
});
