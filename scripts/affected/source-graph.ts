import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Paths of this file are relative to the root of the repository. */
const ROOT = join(import.meta.dirname, '../..');
const ROOT_FOLDER = '';

/** Which sources, tests, pages and fixtures a file is made of. */
export interface SourceGraph {
  /** The files that load, start or read one of these, and those that load them; these as well. */
  dependents(files: Iterable<string>): ReadonlySet<string>;
}

/**
 * Reads the graph of all sources and tests among `files`. Siblings are followed into their `src`, although
 * tests load what is built of it. Besides imports, each string that is the path of a file or folder counts:
 * programs that a test starts, pages and fixtures that it reads. What a program puts together from parts is
 * not seen.
 */
export async function readSourceGraph(files: readonly string[]): Promise<SourceGraph> {
  const sources = files.filter((file) => /^(packages|apps)\/.*\.(ts|tsx|mts|mjs|js)$/.test(file));
  const packages = readPackages(files);
  const { metafile } = await build({
    stdin: { contents: sources.map((file) => `import './${file}';`).join('\n'), resolveDir: ROOT },
    absWorkingDir: ROOT,
    bundle: true,
    metafile: true,
    write: false,
    outdir: 'dist',
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    loader: { '.md': 'empty', '.html': 'empty', '.css': 'empty', '.lua': 'empty', '.node': 'empty' },
    plugins: [followSiblings(packages)],
  });
  const readers = new Map<string, Set<string>>();
  const add = (read: string, by: string) => {
    readers.set(read, (readers.get(read) ?? new Set()).add(by));
  };
  for (const [file, { imports }] of Object.entries(metafile.inputs))
    for (const { path } of imports) add(path, file);
  const existing = withFolders(files);
  for (const file of sources) for (const path of pathsIn(file, packages, existing)) add(path, file);
  return { dependents: (changed) => closure(changed, readers) };
}

/** What each exported name of each package is built from. */
function readPackages(files: readonly string[]): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const file of files.filter((path) => /^(packages|apps)\/[^/]+\/package\.json$/.test(path))) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
    for (const [entry, target] of Object.entries<string | Record<string, string>>(exports)) {
      const built = typeof target === 'string' ? target : target.default;
      if (built !== undefined) sources.set(join(name, entry), join(dirname(file), sourceOf(built)));
    }
  }
  return sources;
}

/** `./dist/sql/index.js` is built from `./src/sql/index.ts`. */
function sourceOf(built: string): string {
  return built.replace(/(^|\/)dist\/(.*)\.js$/, '$1src/$2.ts');
}

function followSiblings(packages: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'siblings by their sources',
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point') return undefined;
        const source = packages.get(path);
        return source !== undefined && existsSync(join(ROOT, source))
          ? { path: join(ROOT, source) }
          : { path, external: true };
      });
      // What is made by a build, or was deleted.
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const found = [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')];
        return found.some((name) => existsSync(join(resolveDir, name)))
          ? undefined
          : { path, external: true };
      });
    },
  };
}

/** The files and folders that strings of a file name: its neighbours, those of its package, from the root. */
function pathsIn(
  file: string,
  packages: ReadonlyMap<string, string>,
  existing: ReadonlySet<string>,
): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [ofPackage = ''] = /^\w+\/[^/]+/.exec(file) ?? [];
  const named = [...text.matchAll(/(['"`])([\w@.-]*\/[^'"`$\s]*|[\w.-]+\.md)\1/g)].flatMap(
    ([, , name = '']) => {
      const found = [join(dirname(file), name), join(ofPackage, name), name]
        .map((path) => sourceOf(path).replace(/\/$/, ''))
        .flatMap((path) => [path, path.replace(/\.js$/, '.ts')])
        .filter((path) => path !== ROOT_FOLDER && existing.has(path) && !file.startsWith(`${path}/`));
      const source = packages.get(name);
      return source === undefined ? found : [...found, source];
    },
  );
  // It asks git for the files that it reads.
  return file.endsWith('.test.ts') && /\bls-files\b/.test(text) ? [...named, ROOT_FOLDER] : named;
}

function withFolders(files: readonly string[]): ReadonlySet<string> {
  return new Set(files.flatMap((file) => [file, ...foldersOf(file)]));
}

function foldersOf(file: string): readonly string[] {
  const parts = file.split('/').slice(0, -1);
  return [ROOT_FOLDER, ...parts.map((_, place) => parts.slice(0, place + 1).join('/'))];
}

function closure(
  changed: Iterable<string>,
  readers: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const found = new Set(changed);
  for (const file of found) {
    // Whoever reads a folder reads what is in it.
    for (const path of [file, ...foldersOf(file)]) {
      for (const reader of readers.get(path) ?? []) found.add(reader);
    }
  }
  return found;
}
