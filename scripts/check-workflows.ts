// Parses the workflows as GitHub does, and checks what its parser does not: an action or a command that the
// next run could get in another version, rights that a job does not need to name, commands that package.json
// does not have, and targets of mutation tests and nightly jobs that no job runs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parse } from 'yaml';
import { TARGETS } from './mutation/targets.js';
import { JOBS } from './nightly/jobs.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job extends Step {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps?: readonly Step[];
  readonly strategy?: {
    readonly matrix?: { readonly package?: readonly string[]; readonly job?: readonly string[] };
  };
}

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = fileURLToPath(new URL('../.github/workflows', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8'));
const problems = readdirSync(folder).flatMap((name) => {
  const content = readFileSync(join(folder, name), 'utf8');
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const errors = context.errors.getErrors().map(({ message }) => message);
  return errors.length > 0
    ? errors
    : [...rights(parse(content)), ...versions(content), ...commands(content), ...lists(parse(content))].map(
        (problem) => `${name}: ${problem}`,
      );
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function rights({ permissions, jobs }: Workflow): string[] {
  const all = JSON.stringify(permissions);
  return [
    ...(all === '{"contents":"read"}' ? [] : [`permissions must be contents: read, got ${all}`]),
    ...Object.entries(jobs).flatMap(([name, job]) => [
      ...(job.uses !== undefined || job['timeout-minutes'] !== undefined
        ? []
        : [`${name}: timeout-minutes is missing`]),
      ...(job.permissions?.['id-token'] === 'write' && job.permissions.contents === 'write'
        ? [`${name}: must not publish and also write to the repository`]
        : []),
    ]),
  ];
}

function versions(content: string): string[] {
  const actions = [...content.matchAll(/uses: (?!\.\/)(.*)/g)].flatMap(([, action = '']) =>
    /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)
      ? []
      : [
          `uses: must be the hash of a commit and its version, as <action>@<40 hex digits> # v1.2.3, got ${action}`,
        ],
  );
  const commands = [...content.matchAll(/(?:npx --yes| -p) (?!-p)(\S+)/g)].flatMap(([, tool = '']) =>
    /@\d+\.\d+\.\d+$/.test(tool) ? [] : [`npx: must get an exact version, got ${tool}`],
  );
  return [...actions, ...commands];
}

/** Names after pnpm, or after `command:` of a matrix. */
function commands(content: string): string[] {
  const names = [...content.matchAll(/(?:pnpm@[\d.]+ |command: )(?:run )?(\w[\w:-]*)/g)].map(
    ([, name = '']) => name,
  );
  return names
    .filter((name) => !['install', 'exec'].includes(name) && !Object.hasOwn(scripts, name))
    .map((name) => `pnpm ${name}: package.json must have a script of this name`);
}

/** What a matrix lists must be all that there is. */
function lists({ jobs }: Workflow): string[] {
  const listed = (key: 'package' | 'job') =>
    Object.values(jobs).flatMap(({ strategy }) => strategy?.matrix?.[key] ?? []);
  return [
    ...differences(listed('package'), Object.keys(TARGETS), 'mutation/targets.ts'),
    ...differences(listed('job'), Object.keys(JOBS), 'nightly/jobs.ts'),
  ];
}

function differences(listed: readonly string[], names: readonly string[], file: string): string[] {
  if (listed.length === 0) return [];
  const missing = names.filter((name) => !listed.includes(name));
  const unknown = listed.filter((name) => !names.includes(name));
  return [...missing, ...unknown].map((name) => `matrix: ${name} must be both here and in ${file}`);
}
