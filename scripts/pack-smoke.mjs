// Packs every published package, lints the tarballs and installs them into an empty project. There it imports
// and requires each entry, runs the command `ids` by npx, compiles and runs the recipes, makes ids in every
// runtime, and runs the programs of the READMEs. From an empty folder, it goes to the first id of each
// strategy, by the README, and to a strategy of one's own in the bench, by docs/writing-a-strategy.md.
// `pack-entries.mjs` is the part that needs nothing from the registry.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstIds } from './first-ids.mjs';
import { firstStrategy } from './first-strategy.mjs';
import { checkCommands, OLDEST_NPM } from './pack-commands.mjs';
import { checkJob } from './pack-deployment.mjs';
import { checkManifests } from './pack-manifests.mjs';
import { checkRecipes } from './pack-recipes.mjs';
import { checkRuntimes } from './pack-runtimes.mjs';
import { COMPILERS, checkTypes } from './pack-types.mjs';
import {
  checkEntry,
  entriesOf,
  lintTarball,
  lintTypes,
  packAll,
  publishedPackages,
  root,
  run,
  together,
} from './packed.mjs';

const project = mkdtempSync(join(tmpdir(), 'ids-pack-smoke-'));

/** What a TypeScript project on Node.js has anyway; the oldest compiler loads them unless told otherwise. */
const TYPES = { '@types/node': '20' };

/** One after the other: it runs beside an installation. */
async function lintAll(tarballs) {
  for (const tarball of tarballs) {
    await lintTarball(tarball);
    await lintTypes(tarball);
  }
}

/** Runs checks in order; returns how much passed. */
async function inOrder(...checks) {
  let count = 0;
  for (const check of checks) count += await check();
  return count;
}

try {
  const packages = publishedPackages();
  const tarballs = await packAll(packages, project);
  const dependencies = Object.fromEntries(
    Object.entries(tarballs).map(([name, tarball]) => [name, `file:${tarball}`]),
  );
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies,
      devDependencies: { ...COMPILERS, ...TYPES, ...OLDEST_NPM },
    }),
  );
  // What waits for the registry, beside what computes.
  await together(
    run('npm', ['install', '--no-audit', '--no-fund'], project),
    lintAll(Object.values(tarballs)),
  );
  const names = packages.map(({ name }) => name);
  const entries = packages.flatMap(entriesOf);
  for (const entry of entries) await checkEntry(entry, project);
  const counts = await together(
    inOrder(
      () => checkManifests(project, names),
      () => checkCommands(project),
      () => checkJob(root, project),
      // It links the drivers that the programs in the runtimes need, which the Job does without.
      () => checkRecipes(root, project),
      () => checkRuntimes(root, project),
    ),
    inOrder(
      () => checkTypes(project, entries),
      () => firstIds(dependencies),
      () => firstStrategy(dependencies),
    ),
  );
  const passed = counts.reduce((sum, count) => sum + count, entries.length);
  console.log(`${passed} passed, 0 failed`);
  if (process.env.IDS_TEST_TALLY) appendFileSync(process.env.IDS_TEST_TALLY, `${passed} 0\n`);
} finally {
  rmSync(project, { recursive: true, force: true });
}
