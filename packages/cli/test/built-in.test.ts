import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const root = new URL('../../..', import.meta.url).pathname;

/** Files of the repository in which a line matches. */
function filesWith(pattern: string, ...places: string[]): string[] {
  const found = execFileSync('git', ['grep', '-lE', pattern, '--', ...places], { cwd: root });
  return found.toString().trim().split('\n');
}

it('a strategy is named in few sources outside its package, so that another one is little work', () => {
  const sources = ['packages/*/src/**', 'apps/*/src/**', 'scripts/**', ':!packages/snowflake'];
  const found = filesWith('\\bsnowflake', ...sources);
  expect(found).toContain('packages/cli/src/built-in.ts');
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(25);
});

it('the commands decide in one place which kind of database it is, except for what is migrated from it', () => {
  const decisions = "isMysql|isSqlite|dialect \\?\\? 'postgres'|dialect === '";
  const elsewhere = filesWith(decisions, 'packages/cli/src/**', ':!packages/cli/src/dialects');
  expect(elsewhere).toEqual(['packages/cli/src/migrate/target.ts']);
});
