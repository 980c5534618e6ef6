import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/**
 * This package and all that it imports as one script, an expression that gives its exports: for places that
 * have no module loader. What Node has built in stays a call of `require`.
 */
export function bundle(): string {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('../../src/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'bundled',
    platform: 'neutral',
    external: ['node:*'],
  });
  return `(() => {\n${outputFiles[0]?.text}\nreturn bundled;\n})()`;
}
