// Packs every published package, lints the tarballs and installs them into an empty project. There it imports
// and requires each entry, runs the command `ids` by npx, compiles and runs the recipes, makes ids in every
// runtime, and runs the programs of the READMEs. From an empty folder, it goes to the first id of each
// strategy, by the README, and to a strategy of one's own in the bench, by docs/writing-a-strategy.md.
import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { firstIds } from './first-ids.mjs';
import { firstStrategy } from './first-strategy.mjs';
import { checkCommands, OLDEST_NPM } from './pack-commands.mjs';
import { checkJob } from './pack-deployment.mjs';
import { checkManifests } from './pack-manifests.mjs';
import { checkRecipes } from './pack-recipes.mjs';
import { checkRuntimes } from './pack-runtimes.mjs';
import { COMPILERS, checkTypes } from './pack-types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'ids-pack-smoke-'));

async function run(command, args, cwd = root) {
  try {
    return (await promisify(execFile)(command, args, { cwd, maxBuffer: 64 * 2 ** 20 })).stdout;
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`);
  }
}

function publishedPackages() {
  return ['packages', 'apps']
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name)))
    .map((folder) => ({ folder, ...manifest(folder) }))
    .filter((candidate) => candidate.private !== true);
}

function manifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/**
 * All at once, without their `prepack`, which builds what `pnpm test:pack` has just built. Returns `file:`
 * specifiers by name.
 */
async function packAll(packages) {
  const filters = packages.flatMap(({ name }) => ['--filter', name]);
  const options = ['--json', '--pack-destination', project, '--config.ignore-scripts=true'];
  const packed = JSON.parse(await run('pnpm', ['--recursive', ...filters, 'pack', ...options]));
  if (packed.length !== packages.length)
    throw new Error(`packed ${packed.length} packages, not ${packages.length}`);
  return Object.fromEntries(packed.map(({ name, filename }) => [name, `file:${filename}`]));
}

/** One after the other: it runs beside an installation. */
async function lintAll(specifiers) {
  for (const specifier of specifiers) {
    const tarball = specifier.slice('file:'.length);
    await run(tool('publint'), ['--strict', tarball]);
    await run(tool('attw'), ['--profile', 'esm-only', tarball]);
  }
}

/** Without `pnpm exec`, which takes longer to start than they take. */
function tool(name) {
  return join(root, 'node_modules/.bin', name);
}

/** `publishConfig` may publish fewer entries than the workspace uses. */
function entriesOf({ name, exports, publishConfig }) {
  const entries = Object.keys(publishConfig.exports ?? exports).filter((entry) => entry !== './package.json');
  return entries.map((entry) => name + entry.slice(1));
}

/** What a TypeScript project on Node.js has anyway; the oldest compiler loads them unless told otherwise. */
const TYPES = { '@types/node': '20' };

/** How many exports each entry has, which are the same where it is imported and where it is required. */
async function checkEntry(entry) {
  const counts = ['module', 'commonjs'].map(async (type) => {
    const load = type === 'module' ? `await import('${entry}')` : `require('${entry}')`;
    const program = `console.log(Object.keys(${load}).filter((name) => name !== '__esModule').length)`;
    return Number(await run('node', [`--input-type=${type}`, '--no-warnings', '-e', program], project));
  });
  const [imported, required] = await Promise.all(counts);
  if (imported === 0 || imported !== required) {
    throw new Error(`${entry}: ${imported} exports where it is imported, ${required} where it is required`);
  }
  console.log(`${entry}: ${imported} exports`);
}

/** Runs checks in order; returns how much passed. */
async function inOrder(...checks) {
  let count = 0;
  for (const check of checks) count += await check();
  return count;
}

/** Resolves when all have ended, so that nothing uses the project any more; rejects if one failed. */
async function together(...running) {
  const ends = await Promise.allSettled(running);
  for (const { status, reason } of ends) if (status === 'rejected') throw reason;
  return ends.map(({ value }) => value);
}

try {
  const packages = publishedPackages();
  const dependencies = await packAll(packages);
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
    lintAll(Object.values(dependencies)),
  );
  const names = packages.map(({ name }) => name);
  const entries = packages.flatMap(entriesOf);
  for (const entry of entries) await checkEntry(entry);
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
