import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asTest, type RemovedLine } from './removed-line.js';

/**
 * What no longer stands where the table says, in sentences: a line that is not in its file exactly once, a
 * test that is not in its own.
 */
export function staleRows(root: string, lines: readonly RemovedLine[]): string[] {
  return lines.flatMap(({ file, from, tests }) => {
    const found = textOf(root, file).split(from).length - 1;
    const names = Object.entries(tests).flatMap(([testFile, list]) =>
      list.map((test) => ({ testFile, text: textOf(root, testFile), name: asTest(test).name })),
    );
    return [
      ...(found === 1 ? [] : [`${file}: must contain once, not ${found} times: ${from}`]),
      ...names
        .filter(({ text, name }) => !text.includes(name))
        .map(({ testFile, name }) => `${testFile}: has no test named: ${name}`),
    ];
  });
}

/**
 * Files of tests of which either the table or `excused` should say something and does not, or both do, in
 * sentences. `excused` has a reason for each file with fault tests of which the table has none.
 */
export function uncoveredFiles(
  root: string,
  lines: readonly RemovedLine[],
  excused: Readonly<Record<string, string>>,
): string[] {
  const covered = new Set(lines.flatMap(({ tests }) => Object.keys(tests)));
  const withFaultTests = testFiles(root).filter((file) => textOf(root, file).includes('faultTest('));
  const missing = withFaultTests.filter((file) => !covered.has(file) && excused[file] === undefined);
  const needless = Object.keys(excused).filter((file) => covered.has(file) || !withFaultTests.includes(file));
  return [
    ...missing.map((file) => `${file}: has fault tests, but no line of scripts/removed-lines is theirs`),
    ...needless.map((file) => `${file}: needs no reason in WITHOUT_ROW`),
  ];
}

function textOf(root: string, file: string): string {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function testFiles(root: string): string[] {
  return ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent)).flatMap((name) => {
      const folder = join(parent, name, 'test');
      const files = existsSync(join(root, folder))
        ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        : [];
      return files.filter((file) => file.endsWith('.test.ts')).map((file) => join(folder, file));
    }),
  );
}
