// Packs every published package, lints the tarballs and installs them into an empty project. There it imports
// and requires each entry, runs the command `ids` by npx, compiles and runs the recipes, makes ids in every
// runtime, and runs the programs of the READMEs. From an empty folder, it goes to the first id of each
// strategy, by the README, and to a strategy of one's own in the bench, by docs/writing-a-strategy.md.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

function run(command, args, cwd = root) {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
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

function pack({ name, folder }) {
  const output = run('pnpm', ['pack', '--json', '--pack-destination', project], folder);
  // What the package's build says comes first.
  const { filename } = JSON.parse(output.slice(output.lastIndexOf('\n{') + 1));
  run(tool('publint'), ['--strict', filename]);
  run(tool('attw'), ['--profile', 'esm-only', filename]);
  return [name, `file:${filename}`];
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

let passed = 0;
try {
  const packages = publishedPackages();
  const dependencies = Object.fromEntries(packages.map(pack));
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies,
      devDependencies: { ...COMPILERS, ...TYPES, ...OLDEST_NPM },
    }),
  );
  run('npm', ['install', '--no-audit', '--no-fund'], project);
  passed += checkManifests(
    project,
    packages.map(({ name }) => name),
  );
  const entries = packages.flatMap(entriesOf);
  for (const entry of entries) {
    const [imported, required] = [`await import('${entry}')`, `require('${entry}')`].map((load, index) => {
      const program = `console.log(Object.keys(${load}).filter((name) => name !== '__esModule').length)`;
      const type = index === 0 ? 'module' : 'commonjs';
      return Number(run('node', [`--input-type=${type}`, '--no-warnings', '-e', program], project));
    });
    if (imported === 0 || imported !== required) {
      throw new Error(`${entry}: ${imported} exports where it is imported, ${required} where it is required`);
    }
    console.log(`${entry}: ${imported} exports`);
    passed++;
  }
  passed += await checkTypes(project, entries);
  passed += await checkCommands(project);
  passed += await checkJob(root, project);
  passed += checkRecipes(root, project);
  passed += await checkRuntimes(root, project);
  passed += await firstIds(dependencies);
  passed += await firstStrategy(dependencies);
  console.log(`${passed} passed, 0 failed`);
  if (process.env.IDS_TEST_TALLY) appendFileSync(process.env.IDS_TEST_TALLY, `${passed} 0\n`);
} finally {
  rmSync(project, { recursive: true, force: true });
}
