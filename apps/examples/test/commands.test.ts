import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** `path:line: text` of the lines in tracked files that match. */
function linesThatMatch(pattern: RegExp, ...paths: string[]): string[] {
  const files = execFileSync('git', ['ls-files', '--', ...paths], { cwd: root, encoding: 'utf8' });
  return files
    .trim()
    .split('\n')
    .flatMap((path) => {
      const lines = readFileSync(root + path, 'utf8').split('\n');
      return lines.flatMap((line, index) =>
        pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      );
    });
}

// npx takes what follows `--no` as its value, and an option before the next word as its own: `npx --no ids
// --help` prints the help of npm.
it('every npx --no is followed by --, in what is written and in what is printed', () => {
  const wrong = /npx --no(?! -- )\b/;
  expect(wrong.test(['npx', '--no', 'ids'].join(' '))).toBe(true);
  expect(linesThatMatch(wrong, '*.md', '*.yml', 'packages/*/src', 'apps/*/src')).toEqual([]);
});

it('pages for users name the bench of the workspace only where they say that it needs a clone', () => {
  const ours = /pnpm(@[\d.]+)? bench/;
  expect(linesThatMatch(ours, 'CONTRIBUTING.md')).toHaveLength(1);
  expect(linesThatMatch(ours, 'README.md')).toHaveLength(1);
  expect(linesThatMatch(ours, 'docs/*.md', '*/*/README.md', 'apps/site/pages')).toEqual([]);
});

it('the version of pnpm stands where a fresh machine starts, and nowhere else in what is read', () => {
  const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const named = linesThatMatch(/pnpm@\d/, '*.md', 'packages/*/src', 'apps/*/src');
  expect(named.map((line) => line.replace(/:\d+: .*(?=pnpm@)/, ' '))).toEqual([
    `CONTRIBUTING.md ${packageManager}`,
    `README.md ${packageManager} example\`, which serves order IDs from a file of SQLite, and says how to`,
    `README.md ${packageManager} bench   # in a clone of this repository`,
    `README.md ${packageManager} test`,
  ]);
});
