// Packs every published package, lints the tarballs, and imports, requires and compiles each entry of them in
// a project of their own. Nothing comes from the registry: what the packages depend on is linked from this
// workspace. `pack-smoke.mjs` installs the tarballs as users do.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkManifests } from './pack-manifests.mjs';
import { checkTypes, OF_WORKSPACE } from './pack-types.mjs';
import {
  checkEntry,
  entriesOf,
  lintTarball,
  packAll,
  publishedPackages,
  root,
  run,
  together,
} from './packed.mjs';

const project = mkdtempSync(join(tmpdir(), 'ids-pack-entries-'));

async function unpack(tarball, { name, folder }) {
  const target = join(project, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  await run('tar', ['--extract', '--strip-components=1', '--file', tarball, '--directory', target]);
  linkDependencies(join(folder, 'node_modules'), join(target, 'node_modules'));
}

/** All but the packages themselves, which stand beside each other. */
function linkDependencies(from, to) {
  for (const name of existsSync(from) ? readdirSync(from) : []) {
    if (name === '@ids' || name.startsWith('.')) continue;
    link(join(from, name), join(to, name));
  }
}

function link(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(from, to);
}

/** Two at a time: each takes a core. */
async function inTwos(items, check) {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await check(item);
  };
  await together(worker(), worker());
}

try {
  const packages = publishedPackages();
  const tarballs = await packAll(packages, project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  for (const one of packages) await unpack(tarballs[one.name], one);
  link(join(root, 'node_modules/typescript'), join(project, 'node_modules/typescript'));
  link(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'));
  await inTwos(Object.values(tarballs), lintTarball);
  const names = packages.map(({ name }) => name);
  const entries = packages.flatMap(entriesOf);
  await inTwos(entries, (entry) => checkEntry(entry, project));
  const passed =
    entries.length + checkManifests(project, names) + (await checkTypes(project, entries, OF_WORKSPACE));
  console.log(`${passed} passed, 0 failed`);
  if (process.env.IDS_TEST_TALLY) appendFileSync(process.env.IDS_TEST_TALLY, `${passed} 0\n`);
} finally {
  rmSync(project, { recursive: true, force: true });
}
