import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type * as bson from '../../src/bson/index.js';
import type * as main from '../../src/index.js';
import type * as tools from '../../src/tools/index.js';

/** What a page can load of this package. */
export type Bundled = typeof main & typeof bson & typeof tools;

/**
 * Modules of this package, by default what `Bundled` has, and all that they import as one script, an
 * expression that gives their exports: for places that have no module loader. What Node has built in
 * stays a call of `require`.
 */
export function bundle(...modules: string[]): string {
  const entries =
    modules.length > 0 ? modules : ['index', 'bson/index', 'tools/index'].map((entry) => `src/${entry}.ts`);
  const { outputFiles } = buildSync({
    stdin: {
      contents: entries.map((entry) => `export * from './${entry}';`).join('\n'),
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
    },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'bundled',
    platform: 'neutral',
    external: ['node:*'],
  });
  return `(() => {\n${outputFiles[0]?.text}\nreturn bundled;\n})()`;
}
