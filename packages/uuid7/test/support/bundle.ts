import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type * as main from '../../src/index.js';

/** What a page can load of this package. */
export type Bundled = typeof main;

/**
 * A module of this package, by default what a page loads, and all that it imports as one script, an
 * expression that gives its exports: for places that have no module loader. What Node has built in stays a
 * call of `require`.
 */
export function bundle(entry = 'src/index.ts'): string {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL(`../../${entry}`, import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'bundled',
    platform: 'neutral',
    external: ['node:*'],
  });
  return `(() => {\n${outputFiles[0]?.text}\nreturn bundled;\n})()`;
}
