import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The lanes of the tests: each file is in exactly one of them, by its name, its package and its text.
 * - `nightly`: named `*.nightly.test.ts`. All others run at each push.
 * - `tools`: in one of the packages `TOOLS`.
 * - `faults`: calls `faultTest(` of `@ids/local-services/fault-test`.
 * - `first`: all others, which `pnpm test` runs.
 */
export const LANES = ['first', 'faults', 'tools', 'nightly'] as const;
type Lane = (typeof LANES)[number];

/** What is not part of a service that issues ids, but measures, tests or explains it. */
export const TOOLS: readonly string[] = [
  'bench',
  'claims',
  'conformance',
  'local-services',
  'simulator',
  'site',
];

const ROOT = fileURLToPath(new URL('.', import.meta.url));

/** Globs, relative to the folder of a package. */
interface Files {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/**
 * The test files of the package `name` that are in one of the lanes of `IDS_LANES`, a list separated by
 * commas; without it, all of them. Conformance tests are left out of the packages in
 * `IDS_WITHOUT_CONFORMANCE`, also a list.
 */
export function filesOfLanes(name: string): Files {
  const without = (process.env.IDS_WITHOUT_CONFORMANCE ?? '').split(',').includes(name);
  const exclude = without ? ['test/conformance*.test.ts'] : [];
  const lanes = chosenLanes();
  if (lanes === LANES) return { include: ['test/**/*.test.ts'], exclude };
  const folder = folderOf(name);
  const files = testFiles(folder).filter((file) => lanes.includes(laneOf(name, join(folder, file))));
  // Without a pattern, vitest would take its default: every test file.
  return { include: files.length > 0 ? files : ['test/no file of these lanes'], exclude };
}

function chosenLanes(): readonly Lane[] {
  const { IDS_LANES: list } = process.env;
  if (list === undefined) return LANES;
  const names = list.split(',');
  const lanes = LANES.filter((lane) => names.includes(lane));
  if (lanes.length === names.length) return lanes;
  throw new Error(`IDS_LANES must be a list of ${LANES.join(', ')}, separated by commas, got "${list}"`);
}

function laneOf(name: string, file: string): Lane {
  if (file.endsWith('.nightly.test.ts')) return 'nightly';
  if (TOOLS.includes(name)) return 'tools';
  return readFileSync(file, 'utf8').includes('faultTest(') ? 'faults' : 'first';
}

function testFiles(folder: string): readonly string[] {
  return readdirSync(join(folder, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file));
}

export function folderOf(name: string): string {
  const folder = ['packages', 'apps'].map((parent) => join(ROOT, parent, name)).find(existsSync);
  if (folder !== undefined) return folder;
  throw new Error(`packageTests: must be called with the name of a folder, got "${name}"`);
}

/** With `IDS_TEST_CPU`, the module that adds what each test file used to that file. */
export const countCpu =
  process.env.IDS_TEST_CPU === undefined ? undefined : join(ROOT, 'scripts/count-cpu.ts');
