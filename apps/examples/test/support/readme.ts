import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

export interface Readme {
  /** Relative to the repository. */
  readonly path: string;
  /** Files that its examples show, by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Programs, in the order of the text. */
  readonly programs: readonly string[];
}

/**
 * The documents that have examples: the README of the repository, those of its
 * packages, the pages in docs/, and those of the site.
 */
export function readmes(): Readme[] {
  const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name, 'README.md'));
  const pages = ['docs', 'docs/internal', 'apps/site/pages'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
  const documents = ['README.md', ...packages, ...pages];
  return documents.map(readReadme).filter(({ programs }) => programs.length > 0);
}

/**
 * A `ts` block that begins with a comment like `// ids.config.ts` is that file; every other one is a program.
 */
function readReadme(path: string): Readme {
  const text = readFileSync(join(root, path), 'utf8');
  const files = new Map<string, string>();
  const programs: string[] = [];
  for (const [, code = ''] of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
    const [, file] = /^\/\/ ([\w.-]+\.ts)\n/.exec(code) ?? [];
    if (file === undefined) programs.push(code);
    else files.set(file, code);
  }
  return { path, files, programs };
}
