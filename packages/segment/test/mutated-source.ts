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

/** A mutant could not be made. That says nothing about the tests: it is neither a kill nor a survivor. */
export class BrokenHarnessError extends Error {
  override readonly name = 'BrokenHarnessError';
}

/**
 * The source of the package and of `@ids/waiting` with one guard taken out, loaded from a copy that is gone
 * after the test. Rejects with a `BrokenHarnessError` when `from` is not in `file` exactly once, or the
 * mutant cannot be loaded.
 */
export async function mutatedSource(mutant: Mutant): Promise<Source> {
  const { name: mutantName, file, from, to } = mutant;
  const copy = await mkdtemp(join(tmpdir(), 'ids-mutant-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  await cp(sourceOf('segment'), copy, { recursive: true });
  await cp(sourceOf('waiting'), join(copy, 'waiting'), { recursive: true });
  let found = 0;
  for (const name of await readdir(copy, { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const path = join(copy, name);
    const text = await readFile(path, 'utf8');
    if (name === file) found = text.split(from).length - 1;
    const mutated = name === file ? text.replace(from, () => to) : text;
    await writeFile(path, withAbsoluteImports(mutated, join(copy, 'waiting', 'index.ts')));
  }
  if (found !== 1) {
    throw new BrokenHarnessError(
      `mutant "${mutantName}": src/${file} must contain once, not ${found} times: ${from}`,
    );
  }
  return (import(/* @vite-ignore */ pathToFileURL(join(copy, 'index.ts')).href) as Promise<Source>).catch(
    (cause: unknown) => {
      throw new BrokenHarnessError(`mutant "${mutantName}": src/${file} cannot be loaded`, { cause });
    },
  );
}

function sourceOf(name: string): string {
  return fileURLToPath(new URL(`../../${name}/src`, import.meta.url));
}

/** Packages cannot be found from the folder of the copy, which has its own `@ids/waiting`, at `waiting`. */
function withAbsoluteImports(text: string, waiting: string): string {
  return text
    .replaceAll("from '@ids/waiting'", `from '${pathToFileURL(waiting).href}'`)
    .replace(
      /from '(@ids\/(?:core|store)(?:\/\w+)?|valibot)'/g,
      (_, name) => `from '${import.meta.resolve(name)}'`,
    );
}
