import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The lanes of the tests: each file is in exactly one of them, by its name and its text.
 * - `slow`: named `*.slow.test.ts`.
 * - `weekly`: named `*.weekly.test.ts`; not part of `.ci/run`.
 * - `faults`: calls `faultTest(` of `@ids/local-services/fault-test`, and is not named like these.
 * - `first`: all others, which `pnpm test` runs.
 */
const LANES = ['first', 'faults', 'slow', 'weekly'] as const;
type Lane = (typeof LANES)[number];

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const ALL = 'test/**/*.test.ts';
const SLOW = 'test/**/*.slow.test.ts';
const WEEKLY = 'test/**/*.weekly.test.ts';

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
  const { include, exclude } = ofLanes(name, chosenLanes());
  return { include, exclude: without ? [...exclude, 'test/conformance*.test.ts'] : exclude };
}

function ofLanes(name: string, lanes: readonly Lane[]): Files {
  if (lanes.length === LANES.length) return { include: [ALL], exclude: [] };
  const faults = faultFiles(name);
  const include: Record<Lane, readonly string[]> = { first: [ALL], faults, slow: [SLOW], weekly: [WEEKLY] };
  const exclude: Record<Lane, readonly string[]> = { first: [], faults, slow: [SLOW], weekly: [WEEKLY] };
  return {
    include: lanes.flatMap((lane) => include[lane]),
    exclude: LANES.filter((lane) => !lanes.includes(lane)).flatMap((lane) => exclude[lane]),
  };
}

function chosenLanes(): readonly Lane[] {
  const { IDS_LANES: list } = process.env;
  if (list === undefined) return LANES;
  const names = list.split(',');
  const lanes = LANES.filter((lane) => names.includes(lane));
  if (lanes.length === names.length) return lanes;
  throw new Error(`IDS_LANES must be a list of ${LANES.join(', ')}, separated by commas, got "${list}"`);
}

function faultFiles(name: string): readonly string[] {
  const folder = ['packages', 'apps'].map((parent) => join(ROOT, parent, name)).find(existsSync);
  if (folder === undefined)
    throw new Error(`packageTests: must be called with the name of a folder, got "${name}"`);
  return readdirSync(join(folder, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !/\.(slow|weekly)\.test\.ts$/.test(file))
    .map((file) => join('test', file))
    .filter((file) => readFileSync(join(folder, file), 'utf8').includes('faultTest('));
}

/** With `IDS_TEST_CPU`, the module that adds what each test file used to that file. */
export const countCpu =
  process.env.IDS_TEST_CPU === undefined ? undefined : join(ROOT, 'scripts/count-cpu.ts');
