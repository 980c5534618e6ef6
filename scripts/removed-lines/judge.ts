import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { asTest, type FailingTest, type RemovedLine } from './removed-line.js';

/** What became of one test while a line was removed. */
export interface Verdict {
  readonly test: string;
  /** `failed` is what it must: by an assertion, or by the error that the table names. */
  readonly outcome: 'failed' | 'lived' | 'broken';
  /** The first line of the failure, or why the run says nothing. */
  readonly why: string;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly Result[];
    readonly message: string;
  }[];
}

interface Result {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[];
}

/** Runs the tests of `line` in `root`, where it was removed; `servers` are variables that name theirs. */
export async function judge(root: string, line: RemovedLine, servers: NodeJS.ProcessEnv): Promise<Verdict[]> {
  const tests = Object.entries(line.tests).flatMap(([file, names]) =>
    names.map((name) => ({ file, ...asTest(name) })),
  );
  const pattern = [...new Set(tests.map(({ name }) => patternOf(name)))].join('|');
  const files = Object.keys(line.tests);
  const { report, said } = await runTests(root, files, pattern, servers);
  return tests.flatMap((test) => {
    const ofFile = report?.testResults.find(({ name }) => name.endsWith(test.file));
    const results = (ofFile?.assertionResults ?? []).filter((result) => isMeant(result, test));
    const title = `${test.file}: ${test.on === undefined ? '' : `${test.on}: `}${test.name}`;
    if (results.length > 0) return results.map((result) => verdictOf(title, result, test));
    const why = firstLine(ofFile?.message) || said.slice(-2_000);
    return [{ test: title, outcome: 'broken' as const, why: `no such test ran: ${why}` }];
  });
}

function isMeant({ fullName, status }: Result, { name, on = '' }: FailingTest): boolean {
  const ran = status === 'passed' || status === 'failed';
  return ran && new RegExp(patternOf(name)).test(fullName) && fullName.includes(on);
}

function verdictOf(test: string, { status, failureMessages = [] }: Result, { fails }: FailingTest): Verdict {
  if (status === 'passed') return { test, outcome: 'lived', why: 'passes without the line' };
  const message = failureMessages.join('\n');
  const expected = fails === undefined ? ASSERTION.test(message) : message.includes(fails);
  return { test, outcome: expected ? 'failed' : 'broken', why: firstLine(message) };
}

/** What assertions throw: those of vitest, its polls and `rejects`, and what fast-check found by them. */
const ASSERTION = /^AssertionError|^Error: (?:expected |promise (?:resolved|rejected) |Property failed)/m;

async function runTests(root: string, files: readonly string[], pattern: string, servers: NodeJS.ProcessEnv) {
  const output = join(root, 'report.json');
  await rm(output, { force: true });
  const reporting = ['--reporter=json', `--outputFile=${output}`];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { IDS_LANES: _, IDS_FAULTS: __, ...env } = process.env;
  const child = spawn(process.execPath, [vitest, 'run', ...files, '-t', pattern, ...reporting], {
    cwd: root,
    env: { ...env, ...servers },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const report = await readFile(output, 'utf8').then(
    (json) => JSON.parse(json) as Report,
    () => undefined,
  );
  return { report, said: `${stdout}${stderr}` };
}

/** `name` as it stands in the source, where a template may have holes. */
function patternOf(name: string): string {
  const parts = name.split(/\$\{[^}]*\}/);
  return parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*');
}

function firstLine(message = ''): string {
  return message.split('\n', 1)[0] ?? '';
}
