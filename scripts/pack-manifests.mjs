// The manifests of the installed packages, as the registry would have them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Throws when a package pins what it depends on, since an application that has another version of it would
 * then install two, or when packages disagree on whether they name the repository. Returns how many were
 * checked.
 */
export function checkManifests(project, names) {
  const manifests = names.map((name) =>
    JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8')),
  );
  for (const { name, dependencies, optionalDependencies, peerDependencies } of manifests) {
    const all = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    const pinned = Object.entries(all).filter(([, range]) => !/^(\^|~|>=)\d/.test(range));
    if (pinned.length > 0)
      throw new Error(
        `${name} must depend on ranges, but has ${JSON.stringify(pinned)}: use catalog:published`,
      );
  }
  const homes = manifests.map(({ repository, homepage, bugs }) =>
    [repository?.url, homepage, bugs].map(Boolean),
  );
  if (new Set(homes.flat()).size !== 1)
    throw new Error('either all packages name their repository, or none: use scripts/name-repository.mjs');
  console.log(`manifests: ${manifests.length} depend on ranges`);
  return manifests.length;
}
