/** Files of the repository that are pages, and where the site has them. `$1` is what the star stands for. */
const PAGES: readonly [RegExp, string][] = [
  [/^README\.md$/, 'overview.md'],
  [/^CONTRIBUTING\.md$/, 'contributing.md'],
  [/^SECURITY\.md$/, 'security.md'],
  [/^CODE_OF_CONDUCT\.md$/, 'code-of-conduct.md'],
  [/^docs\/((?:(?:decisions|operations)\/)?[^/]+\.md)$/, '$1'],
  [/^(packages|apps)\/([^/]+)\/README\.md$/, '$1/$2.md'],
  // It is published with the command, which prints it.
  [/^packages\/cli\/(errors\.md)$/, '$1'],
  [/^apps\/site\/pages\/([^/]+\.md)$/, '$1'],
];

/** Globs of other Markdown files, by how VitePress wants them: it would take every file that it finds. */
export const NO_PAGES = [
  '.changeset/**',
  '.github/**',
  '!(docs|packages|apps)/**/*',
  '**/CHANGELOG.md',
  // Pages for maintainers.
  'docs/internal/**',
  'packages/*/*/**',
  'apps/!(site)/*/**',
];

/** The page of a file, both relative; undefined if it has none. */
export function pageOf(file: string): string | undefined {
  const [pattern, page] = PAGES.find(([candidate]) => candidate.test(file)) ?? [];
  return pattern === undefined || page === undefined ? undefined : file.replace(pattern, page);
}
