import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

/** The versions that the site describes: that of core in the bar, those of all packages below it. */
export function versions(root: string): DefaultTheme.NavItemWithChildren {
  const packages = readdirSync(join(root, 'packages')).flatMap((folder) => {
    const file = join(root, 'packages', folder, 'package.json');
    if (!existsSync(file)) return [];
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as Record<'name' | 'version', string>;
    return [{ name, version: version === '0.0.0' ? 'not released' : version, link: `/packages/${folder}` }];
  });
  const core = packages.find(({ name }) => name === '@ids/core');
  return {
    text: `core: ${core?.version}`,
    items: packages.map(({ name, version, link }) => ({ text: `${name}: ${version}`, link })),
  };
}
