// Removes lines of the product, one at a time, and demands that the tests which are about them fail.
// docs/testing.md explains it.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { staleRows, uncoveredFiles } from './removed-lines/check-table.js';
import { judge } from './removed-lines/judge.js';
import { LINES, WITHOUT_ROW } from './removed-lines/lines.js';
import { TreeCopy } from './removed-lines/tree-copy.js';

const HELP = `pnpm test:removed-lines [--only TEXT]... [--check]

Removes each line of scripts/removed-lines in a copy of the workspace, runs the tests that are about it, and
demands that each of them fails by an assertion.

  --only TEXT  only lines whose file, text or tests contain TEXT; may be repeated. Example: --only take.lua
  --check      runs no test: checks that each line stands where the table says, and that each file with a
               fault test is in it
  --help       this text

Exits with 1 if a test passed without its line, or failed in another way, or the table is stale; with 2 if the
arguments are wrong.`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const options = {
  only: { type: 'string', multiple: true },
  check: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Whether all is well. */
async function main(only: readonly string[], checkOnly: boolean): Promise<boolean> {
  const problems = staleRows(ROOT, LINES);
  if (checkOnly) problems.push(...uncoveredFiles(ROOT, LINES, WITHOUT_ROW));
  for (const problem of problems) console.error(problem);
  if (checkOnly || problems.length > 0) return problems.length === 0;
  const chosen = LINES.filter(
    (line) => only.length === 0 || only.some((part) => JSON.stringify(line).includes(part)),
  );
  if (chosen.length > 0) return await removeAll(chosen);
  console.error(`option "--only" must be a part of a line or of a test, got ${JSON.stringify(only)}`);
  process.exit(2);
}

async function removeAll(lines: typeof LINES): Promise<boolean> {
  await using copy = await TreeCopy.of(ROOT);
  await using servers = await copy.startServers();
  const [count, wrong] = [{ failed: 0, lived: 0, broken: 0 }, [] as string[]];
  for (const [index, line] of lines.entries()) {
    const title = `${line.file}: ${line.from.split('\n', 1)[0]}`;
    const startedAt = performance.now();
    const verdicts = await copy.without(line, () => judge(copy.root, line, servers.env));
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(`\n${index + 1}/${lines.length} without ${title} (${seconds} s)`);
    for (const { test, outcome, why } of verdicts) {
      console.log(`  ${outcome.padEnd(6)} ${test}\n         ${why}`);
      count[outcome] += 1;
      if (outcome !== 'failed') wrong.push(`${outcome} without ${title}\n  ${test}`);
    }
  }
  console.log(
    `\n${lines.length} lines: ${count.failed} tests failed as they must, ${count.lived} lived, ${count.broken} broken`,
  );
  for (const sentence of wrong) console.log(sentence);
  return wrong.length === 0;
}

let given: { only?: string[]; check?: boolean; help?: boolean } | undefined;
try {
  given = parseArgs({ options }).values;
} catch (error) {
  console.error(`${(error as Error).message}\n\n${HELP}`);
  process.exit(2);
}
if (given.help) console.log(HELP);
else if (!(await main(given.only ?? [], given.check ?? false))) process.exitCode = 1;
