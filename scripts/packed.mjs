// What a release would publish: the packages, their tarballs, and the checks of them that need no registry.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('..', import.meta.url));

export async function run(command, args, cwd = root) {
  try {
    return (await promisify(execFile)(command, args, { cwd, maxBuffer: 64 * 2 ** 20 })).stdout;
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`);
  }
}

export function publishedPackages() {
  return ['packages', 'apps']
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name)))
    .map((folder) => ({ folder, ...manifest(folder) }))
    .filter((candidate) => candidate.private !== true);
}

function manifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/**
 * All at once, without their `prepack`, which builds what was just built. Returns the tarballs by name of
 * their package.
 */
export async function packAll(packages, destination) {
  const filters = packages.flatMap(({ name }) => ['--filter', name]);
  const options = ['--json', '--pack-destination', destination, '--config.ignore-scripts=true'];
  const packed = JSON.parse(await run('pnpm', ['--recursive', ...filters, 'pack', ...options]));
  if (packed.length !== packages.length)
    throw new Error(`packed ${packed.length} packages, not ${packages.length}`);
  return Object.fromEntries(packed.map(({ name, filename }) => [name, filename]));
}

export async function lintTarball(tarball) {
  await run(tool('publint'), ['--strict', tarball]);
}

/** Whether each kind of module resolution finds the types, which takes ten times as long as `lintTarball`. */
export async function lintTypes(tarball) {
  await run(tool('attw'), ['--profile', 'esm-only', tarball]);
}

/** Without `pnpm exec`, which takes longer to start than they take. */
function tool(name) {
  return join(root, 'node_modules/.bin', name);
}

/** `publishConfig` may publish fewer entries than the workspace uses. */
export function entriesOf({ name, exports, publishConfig }) {
  const entries = Object.keys(publishConfig.exports ?? exports).filter((entry) => entry !== './package.json');
  return entries.map((entry) => name + entry.slice(1));
}

/** How many exports each entry has, which are the same where it is imported and where it is required. */
export async function checkEntry(entry, project) {
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

/** Resolves when all have ended, so that nothing uses the project any more; rejects if one failed. */
export async function together(...running) {
  const ends = await Promise.allSettled(running);
  for (const { status, reason } of ends) if (status === 'rejected') throw reason;
  return ends.map(({ value }) => value);
}
