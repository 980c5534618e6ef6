import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const compiled = new Map<string, Promise<URL>>();

/**
 * A TypeScript module as JavaScript, with all files that it imports by path; any other module as it is.
 * `module` is a file URL. Processes and threads that run it need no compiler: one in each of them would take
 * several times as long to start as they need for their work.
 */
export function compiledModule(module: URL): Promise<URL> {
  if (!/\.m?ts$/.test(module.pathname)) return Promise.resolve(module);
  const known = compiled.get(module.href);
  if (known !== undefined) return known;
  const result = compile(fileURLToPath(module));
  compiled.set(module.href, result);
  // A later call tries again: the file may have been mended.
  result.catch(() => compiled.delete(module.href));
  return result;
}

async function compile(path: string): Promise<URL> {
  const folder = join(packageOf(path), 'node_modules/.cache/ids-conformance');
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    // What a package exports exists once in a process, as with modules that are not compiled.
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    write: false,
    // Where the file will be, so that the paths of its source map lead from there.
    outdir: folder,
    plugins: [ownUrls],
    logLevel: 'silent',
  });
  const [{ contents, hash } = { contents: new Uint8Array(), hash: '' }] = outputFiles;
  await mkdir(folder, { recursive: true });
  const name = createHash('sha256').update(path).update(hash).digest('hex').slice(0, 16);
  const file = join(folder, `${basename(path).replace(/\.m?ts$/, '')}-${name}.mjs`);
  // Other processes write the same file at the same time: each is whole when it gets its name.
  const unfinished = `${file}.${randomUUID()}`;
  await writeFile(unfinished, contents);
  await rename(unfinished, file);
  return pathToFileURL(file);
}

/** The folder from which the module's imports of packages are resolved. */
function packageOf(path: string): string {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder))
      throw new Error(`${path} must be in a package, got no package.json above`);
  }
}

/** Lets each file see its own URL, not that of the compiled one. */
const ownUrls: Plugin = {
  name: 'own-urls',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.m?ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return {
        contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
        loader: 'ts',
      };
    }),
};
