// `node scripts/name-repository.mjs https://host/owner/ids` writes where the repository is into the manifest
// of each published package: `repository`, which npm compares with the provenance, `homepage` and `bugs`.
// Without an address, it fails unless all have them: nothing is published before.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [address] = process.argv.slice(2);
if (address !== undefined && !/^https:\/\/[^/]+\/[^/]+\/[^/]+$/.test(address))
  throw new Error(`the address must be like https://host/owner/ids, got "${address}"`);

const files = ['packages', 'apps']
  .flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(root, parent, name, 'package.json')),
  )
  .filter(existsSync);
const unnamed = [];
for (const file of files) {
  const { name, version, description, license, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  if (rest.private === true) continue;
  if (address === undefined) {
    if (!rest.repository || !rest.homepage || !rest.bugs) unnamed.push(name);
    continue;
  }
  const directory = relative(root, join(file, '..'));
  const home = {
    homepage: `${address}/tree/main/${directory}#readme`,
    bugs: `${address}/issues`,
    repository: { type: 'git', url: `git+${address}.git`, directory },
  };
  const manifest = { name, version, description, license, ...home, ...rest, ...home };
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
}
if (unnamed.length > 0) {
  console.error(`no repository, homepage and bugs: ${unnamed.join(', ')}`);
  console.error('first: node scripts/name-repository.mjs https://host/owner/ids');
  process.exitCode = 1;
}
