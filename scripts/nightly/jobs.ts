import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TOOLS } from '../../vitest.lanes.js';

export interface Job {
  /** For a shell, in the root of the workspace, which is built. */
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it shows when it passes: one line. */
  readonly shows: string;
}

const root = new URL('../../', import.meta.url);
const PRODUCT = ['packages', 'apps']
  .flatMap((parent) => readdirSync(fileURLToPath(new URL(parent, root))))
  .filter((name) => !TOOLS.includes(name));

/** The lane `nightly` of some packages. */
function nightly(names: readonly string[]): Pick<Job, 'command'> {
  const projects = names.map((name) => `--project ${name}`).join(' ');
  return { command: `pnpm test:nightly ${projects}` };
}

/** By the name that `pnpm nightly` takes. Each is a job of the workflow of this name. */
export const JOBS: Readonly<Record<string, Job>> = {
  words: { command: 'pnpm words', shows: 'spelling, and the width of prose and comments' },
  long: { ...nightly(PRODUCT), shows: 'fault tests and integration tests over 10 s a file' },
  felt: {
    command: 'pnpm test:faults-felt',
    shows: 'each fault test fails without its faults',
  },
  kit: {
    command: 'pnpm exec vitest run conformance encoded-strategies',
    env: { IDS_LIMITS: '1' },
    shows: 'the conformance kit with its limits, on all strategies and on its mutants',
  },
  properties: {
    command: `pnpm exec vitest run $(git grep -l --untracked "from 'fast-check'" -- '*.test.ts')`,
    env: { IDS_SEED: 'random' },
    shows: 'the properties, with a random seed, which the run prints',
  },
  guards: {
    command: 'pnpm simulate --guards',
    shows: 'for each guard of the protocols, a fresh seed that breaks without it',
  },
  seeds: {
    command: 'pnpm simulate --minutes 30 --report',
    shows: 'half an hour of random seeds, and which faults met which steps',
  },
  simulator: { ...nightly(['simulator']), shows: 'the simulated servers beside real ones' },
  bench: {
    ...nightly(['bench', 'claims']),
    shows: 'runs of bench and claims, planted strategies',
  },
  servers: {
    ...nightly(['local-services']),
    shows: 'the servers of the tests, and what they leave',
  },
  site: { ...nightly(['site']), shows: 'the documentation site in Chromium' },
  packed: {
    command: 'pnpm test:pack',
    shows: 'the packed packages: compilers, runtimes, recipes, first ids',
  },
  node24: { command: 'pnpm test:node 24 --integration', shows: 'the tests on Node.js 24' },
  node26: { command: 'pnpm test:node 26 --integration', shows: 'the tests on Node.js 26' },
  edge: { command: 'pnpm test:edge', shows: 'the recipe for Bun and Deno, and Postgres by `Bun.sql`' },
  claims: { command: 'pnpm claims', shows: 'what the READMEs say about speed' },
  mutants: {
    command:
      'code=0; for name in $(tsx scripts/nightly/changed-targets.ts); do pnpm mutate --package $name || code=1; done; exit $code',
    shows: 'mutation tests of the packages that changed in the last two days',
  },
  ha: {
    command:
      'code=0; for stack in mariadb sentinel cluster; do pnpm soak:ha --stack $stack || code=1; done; exit $code',
    shows: '20 failovers each of MariaDB, and of Redis by Sentinel and by Cluster',
  },
  soak: { command: 'pnpm soak --minutes 60', shows: 'segment-redis-db under random faults' },
  uuid7: { command: 'pnpm soak:uuid7', shows: '10^9 UUIDs of one thread, each above the last' },
};
