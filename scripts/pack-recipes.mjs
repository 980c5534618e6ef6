// The recipes as an application has them: their files beside the installed packages, compiled, and run with a
// config file on real servers. What the recipes need besides is linked from this workspace.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Tests of files of this repository other than the recipes. */
const NOT_OF_RECIPES = /recipes-page/;

/**
 * Throws when a recipe does not compile or its test fails. Returns how many tests passed. `project`: where
 * the packages are installed.
 */
export async function checkRecipes(root, project) {
  const examples = join(root, 'apps/examples');
  const app = join(project, 'recipes');
  for (const folder of ['src', 'test/recipes', 'test/support']) {
    cpSync(join(examples, folder), join(app, folder), { recursive: true });
  }
  linkAll(join(examples, 'node_modules'), join(app, 'node_modules'));
  link(join(root, 'packages/local-services'), join(app, 'node_modules/@ids/local-services'));
  // The packages find these as their users install them: beside themselves.
  for (const peer of ['pg', 'ioredis'])
    link(join(examples, 'node_modules', peer), join(project, 'node_modules', peer));
  link(join(root, 'packages/segment-redis-db/node_modules/redis'), join(project, 'node_modules/redis'));
  link(join(root, 'packages/store/node_modules/libsql'), join(project, 'node_modules/libsql'));
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }));

  const base = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8')).compilerOptions;
  const overrides = { experimentalDecorators: true, composite: false, declaration: false, noEmit: true };
  const compilerOptions = { ...base, ...overrides };
  const tests = readdirSync(join(app, 'test/recipes')).filter(
    (name) => name.endsWith('.test.ts') && !NOT_OF_RECIPES.test(name),
  );
  const files = tests.map((name) => `test/recipes/${name}`);
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files, include: ['src'] }));
  // By the fastest compiler: the declarations of the packages go through the others as well.
  await run(app, [join(project, 'node_modules/typescript-7/bin/tsc'), '--project', '.'], 'compile');

  const settings = {
    globalSetup: ['@ids/local-services/vitest-setup'],
    include: files,
    tags: [{ name: 'fault' }],
    // As in the workspace: they leave modules, globals and mocks as they found them.
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
    reporters: ['json'],
  };
  writeFileSync(join(app, 'vitest.config.mjs'), `export default { test: ${JSON.stringify(settings)} };`);
  const output = await run(app, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], 'run');
  const { numPassedTests } = JSON.parse(output.slice(output.indexOf('{"')));
  console.log(`recipes with the installed packages: ${files.length} files compiled, ${numPassedTests} tests`);
  return numPassedTests;
}

function linkAll(from, to) {
  for (const name of readdirSync(from)) {
    if (name === '@ids' || name.startsWith('.')) continue;
    link(join(from, name), join(to, name));
  }
}

function link(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  if (!existsSync(to)) symlinkSync(from, to);
}

async function run(cwd, args, what) {
  try {
    return (await promisify(execFile)('node', args, { cwd, maxBuffer: 64 * 2 ** 20 })).stdout;
  } catch ({ stdout, stderr }) {
    throw new Error(`the recipes do not ${what} with the installed packages:\n${stdout}${stderr}`);
  }
}
