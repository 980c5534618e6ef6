import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

type Pages = readonly (readonly [text: string, page: string])[];

const START: Pages = [
  ['Overview', 'overview'],
  ['Choosing a strategy', 'choosing'],
  ['Inspect an ID', 'inspect'],
  ['Guarantees', 'guarantees'],
];

const STRATEGIES: Pages = [
  ['objectid', 'packages/objectid'],
  ['ObjectIds in detail', 'objectid'],
  ['uuid7', 'packages/uuid7'],
  ['segment-inproc', 'packages/segment-inproc'],
  ['segment-redis-db', 'packages/segment-redis-db'],
  ['Segments in detail', 'segments'],
  ['snowflake', 'packages/snowflake'],
  ['gpid', 'packages/gpid'],
  ['gpids in detail', 'gpid'],
];

const USE: Pages = [
  ['The interface: core', 'packages/core'],
  ['A config file: config', 'packages/config'],
  ['Other string forms: encode', 'packages/encode'],
  ['The command ids: cli', 'packages/cli'],
  ['Ranges of numbers: segment', 'packages/segment'],
  ['Recipes', 'recipes'],
  ['Recipes for gpid', 'recipes-gpid'],
  ['Examples', 'apps/examples'],
  ['Migrating', 'migrating'],
  ['Other languages', 'other-languages'],
];

const OPERATE: Pages = [
  ['Operations', 'operations'],
  ['Deployment', 'deployment'],
  ['Platforms', 'platforms'],
  ['Runtimes', 'runtimes'],
  ['Scaling', 'growth'],
];

const TRUST: Pages = [
  ['How we test', 'how-we-test'],
  ['The tests', 'testing'],
  ['The simulator', 'simulator'],
  ['Package simulator', 'packages/simulator'],
  ['Mutation testing', 'mutation-testing'],
  ['The conformance kit', 'packages/conformance'],
  ['Servers for tests', 'local-services'],
  ['Package local-services', 'packages/local-services'],
  ['How the bench measures', 'bench'],
  ['The bench', 'apps/bench'],
  ['Claims about speed', 'apps/claims'],
];

const CONTRIBUTE: Pages = [
  ['Contributing', 'contributing'],
  ['Architecture and glossary', 'architecture'],
  ['Writing a strategy', 'writing-a-strategy'],
  ['Releasing', 'releasing'],
  ['Code of conduct', 'code-of-conduct'],
  ['Security', 'security'],
  ['This site', 'apps/site'],
  ['Decisions', 'decisions'],
];

export const nav: DefaultTheme.NavItem[] = [
  { text: 'Choose', link: '/choosing' },
  { text: 'Inspect an ID', link: '/inspect' },
  { text: 'How we test', link: '/how-we-test' },
  { text: 'API', link: '/api/index.html', target: '_self' },
];

/** `root`: the folder of the repository, whose decisions are listed by their headings. */
export function sidebar(root: string): DefaultTheme.SidebarItem[] {
  return [
    { text: 'Start', items: linksTo(START) },
    { text: 'Strategies', items: linksTo(STRATEGIES) },
    { text: 'Use', items: linksTo(USE) },
    { text: 'Operate', items: linksTo(OPERATE) },
    { text: 'Evidence', items: linksTo(TRUST) },
    { text: 'Contribute', items: linksTo(CONTRIBUTE) },
    { text: 'Decisions', collapsed: true, items: linksTo(decisions(root)) },
  ];
}

function linksTo(pages: Pages): DefaultTheme.SidebarItem[] {
  return pages.map(([text, page]) => ({ text, link: `/${page}` }));
}

/** The decisions of the project, by number: heading and page. */
function decisions(root: string): Pages {
  const folder = join(root, 'docs/decisions');
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const [, heading = file] = /^# (.*)$/m.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
      return [heading, `decisions/${file.replace(/\.md$/, '')}`] as const;
    });
}
