// `pnpm affected [--since REF] [--list] [FILE...]`: runs the tests that a change can break, and no more.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readSourceGraph } from './affected/source-graph.js';

const HELP = `pnpm affected [--since REF] [--list] [FILE...]

Runs the test files that load, start or read one of the files; by default those that differ from the last commit
that is also in main, committed or not. What a program finds by a name that it puts together is not seen: before
a change is merged, everything runs.

  --since REF   those that differ from this commit, branch or tag
  --list        prints the test files instead

Runs the lanes of a push: not the nightly one. Exits with 1 if a test failed, with 2 if an argument is wrong.`;

/** What all tests depend on. */
const EVERYTHING =
  /^(package\.json|pnpm-(lock|workspace)\.yaml|tsconfig(\.base)?\.json|turbo\.json|vitest\.[\w.]+)$/;

function git(...args: readonly string[]): readonly string[] {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) fail(`git ${args.join(' ')}: ${stderr.trim()}`);
  return stdout.split('\n').filter((line) => line !== '');
}

function fail(reason: string): never {
  console.error(`affected: ${reason}`);
  process.exit(2);
}

/** What a change of a file that no source loads can reach: everything, its package, or only who reads it. */
function reach(file: string, files: readonly string[]): readonly string[] {
  if (EVERYTHING.test(file)) return files;
  const [, folder, rest = ''] = /^((?:packages|apps)\/[^/]+\/)(.*)$/.exec(file) ?? [];
  const ofPackage = /^(package\.json|tsconfig\.json|vitest\.config\.ts|scripts\/.*|src\/.*(?<!\.tsx?))$/.test(
    rest,
  );
  if (folder === undefined || !ofPackage) return [file];
  return files.filter((other) => other.startsWith(folder));
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        since: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${HELP}`);
  }
}

/** The branch that others merge into, as it was last fetched if there is a remote. */
function forkPoint(): string {
  const main = ['origin/main', 'main'].find(
    (name) => spawnSync('git', ['rev-parse', '--verify', '--quiet', name]).status === 0,
  );
  if (main === undefined) return fail('option "since" must be given where there is no branch main');
  return git('merge-base', main, 'HEAD')[0] ?? 'HEAD';
}

const { values, positionals } = readArguments();
if (values.help) {
  console.log(HELP);
  process.exit();
}
const files = git('ls-files', '--cached', '--others', '--exclude-standard').filter((file) =>
  existsSync(file),
);
const unknown = positionals.find((file) => !files.includes(file));
if (unknown !== undefined) fail(`FILE must be the path of one from the root, got "${unknown}"`);
const since = values.since ?? forkPoint();
const changed =
  positionals.length > 0
    ? positionals
    : [
        ...git('diff', '--name-only', `${since}^{commit}`, '--'),
        ...git('ls-files', '--others', '--exclude-standard'),
      ];
const graph = await readSourceGraph(files);
const reached = graph.dependents(new Set(changed.flatMap((file) => reach(file, files))));
const tests = files.filter((file) => reached.has(file) && /(?<!\.nightly)\.test\.ts$/.test(file));
if (values.list) {
  for (const file of tests) console.log(file);
} else {
  const packages = [...new Set(tests.map((file) => file.split('/')[1] ?? ''))];
  const counts = packages.map(
    (name) => `${name} ${tests.filter((file) => file.split('/')[1] === name).length}`,
  );
  const what = positionals.length > 0 ? '' : ` since ${since.slice(0, 12)}`;
  console.log(
    `${changed.length} files${what}, tests that they can break: ${tests.length} (${counts.join(', ')})`,
  );
  if (tests.length > 0) {
    const projects = packages.flatMap((name) => ['--project', name]);
    const env = { ...process.env, IDS_LANES: 'first,faults,tools' };
    const { status } = spawnSync('vitest', ['run', ...projects, ...tests], { stdio: 'inherit', env });
    process.exitCode = status ?? 1;
  }
}
