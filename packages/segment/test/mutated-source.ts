import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

type Source = typeof import('../src/index.js');

/** A guard of this package taken out of its text. */
export interface Mutant {
  readonly name: string;
  /** A file of `src`. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
}

/** The package's source with one guard taken out, loaded from a copy that is gone after the test. */
export async function mutatedSource({ file, from, to }: Mutant): Promise<Source> {
  const copy = await mkdtemp(join(tmpdir(), 'ids-mutant-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  await cp(fileURLToPath(new URL('../src', import.meta.url)), copy, { recursive: true });
  for (const name of await readdir(copy)) {
    if (!name.endsWith('.ts')) continue;
    const path = join(copy, name);
    const text = await readFile(path, 'utf8');
    if (name === file && text.split(from).length !== 2) throw new Error(`${file} must hold once: ${from}`);
    const mutated = name === file ? text.replace(from, () => to) : text;
    await writeFile(path, withAbsoluteImports(mutated));
  }
  return import(/* @vite-ignore */ pathToFileURL(join(copy, 'index.ts')).href) as Promise<Source>;
}

/** Packages cannot be found from the folder of the copy. */
function withAbsoluteImports(text: string): string {
  return text.replace(/from '(@ids\/core|valibot)'/g, (_, name) => `from '${import.meta.resolve(name)}'`);
}
