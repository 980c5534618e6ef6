import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { slug } from 'github-slugger';
import type { DefaultTheme } from 'vitepress';

type Pages = readonly (readonly [text: string, page: string])[];

const START: Pages = [
  ['Quick start', 'quick-start'],
  ['How it works', 'how-it-works'],
  ['Choosing a strategy', 'choosing'],
  ['Overview', 'overview'],
  ['Guarantees', 'guarantees'],
  ['What was tried, and what broke', 'analysis'],
  ['Faults elsewhere', 'faults-elsewhere'],
  ['Inspect an ID', 'inspect'],
];

const STRATEGIES: Pages = [
  ['objectid', 'packages/objectid'],
  ['ObjectIds in detail', 'objectid'],
  ['uuid7', 'packages/uuid7'],
  ['segment-inproc', 'packages/segment-inproc'],
  ['segment-redis-db', 'packages/segment-redis-db'],
  ['Segments in detail', 'segments'],
  ['Numbers by key', 'keyed'],
  ['Numbers that people read', 'numbers'],
  ['IDs that outsiders cannot read', 'obfuscation'],
  ['gapless', 'packages/gapless'],
  ['snowflake', 'packages/snowflake'],
  ['gpid', 'packages/gpid'],
  ['gpids in detail', 'gpid'],
  ['http', 'packages/http'],
  ['IDs over HTTP', 'http'],
  ['Attacks on a server', 'http-security'],
  ['Running a server of IDs', 'http-deployment'],
];

const USE: Pages = [
  ['The interface: core', 'packages/core'],
  ['A config file: config', 'packages/config'],
  ['Other string forms: encode', 'packages/encode'],
  ['A plugin for Fastify', 'packages/fastify'],
  ['A module for NestJS', 'packages/nestjs'],
  ['IDs for tests', 'packages/testing'],
  ['Drizzle', 'packages/drizzle'],
  ['Prisma', 'packages/prisma'],
  ['The command ids: cli', 'packages/cli'],
  ['Ranges of numbers: segment', 'packages/segment'],
  ['A server of IDs: server', 'packages/server'],
  ['Recipes', 'recipes'],
  ['Recipes for gpid', 'recipes-gpid'],
  ['Examples', 'apps/examples'],
  ['The bench', 'apps/bench'],
  ['Migrating', 'migrating'],
  ['Other languages', 'other-languages'],
];

const OPERATE: Pages = [
  ['Errors and symptoms', 'errors'],
  ['Operations', 'operations'],
  ['segment-inproc', 'operations/segment-inproc'],
  ['segment-redis-db', 'operations/segment-redis-db'],
  ['snowflake', 'operations/snowflake'],
  ['The segment table', 'operations/segment-table'],
  ['Databases', 'operations/databases'],
  ['TLS', 'operations/tls'],
  ['Monitoring', 'operations/monitoring'],
  ['Time limits and pauses', 'operations/time-limits'],
  ['Swapping generators', 'operations/swapping'],
  ['Deployment', 'deployment'],
  ['Platforms', 'platforms'],
  ['Runtimes', 'runtimes'],
];

const CONTRIBUTE: Pages = [
  ['Contributing', 'contributing'],
  ['Architecture and glossary', 'architecture'],
  ['Writing a strategy', 'writing-a-strategy'],
  ['The conformance kit', 'packages/conformance'],
  ['Package keyed', 'packages/keyed'],
  ['Package waiting', 'packages/waiting'],
  ['Package store', 'packages/store'],
  ['Code of conduct', 'code-of-conduct'],
  ['Security', 'security'],
  ['This site', 'apps/site'],
  ['Decisions', 'decisions'],
];

/** For whoever doubts the figures and the tests, or changes them. */
const EVIDENCE: Pages = [
  ['Package simulator', 'packages/simulator'],
  ['Package local-services', 'packages/local-services'],
  ['Claims about speed', 'apps/claims'],
  ['Scaling', 'growth'],
];

export const nav: DefaultTheme.NavItem[] = [
  { text: 'How it works', link: '/how-it-works' },
  { text: 'Choose', link: '/choosing' },
  { text: 'Inspect an ID', link: '/inspect' },
  { text: 'Analysis', link: '/analysis' },
  { text: 'API', link: '/api/index.html', target: '_self' },
];

/** `root`: the folder of the repository, whose recipes and decisions are listed by their headings. */
export function sidebar(root: string): DefaultTheme.SidebarItem[] {
  return [
    { text: 'Start', items: linksTo(START) },
    { text: 'Strategies', items: linksTo(STRATEGIES) },
    { text: 'Use', items: linksTo(USE) },
    { text: 'Frameworks and recipes', items: linksTo(recipes(root)) },
    { text: 'Operate', items: linksTo(OPERATE) },
    { text: 'Contribute', collapsed: true, items: linksTo(CONTRIBUTE) },
    { text: 'Tests and measurements', collapsed: true, items: linksTo(EVIDENCE) },
    { text: 'Decisions', collapsed: true, items: linksTo(decisions(root)) },
  ];
}

/** Without links to parts of a page. */
export function pagesOf(groups: readonly DefaultTheme.SidebarItem[]): DefaultTheme.SidebarItem[] {
  return groups.map((group) => ({
    ...group,
    items: (group.items ?? []).filter(({ link }) => !link?.includes('#')),
  }));
}

function linksTo(pages: Pages): DefaultTheme.SidebarItem[] {
  return pages.map(([text, page]) => ({ text, link: `/${page}` }));
}

/** The recipes, each by the name of its framework or task: the headings of their page. */
function recipes(root: string): Pages {
  const headings = readFileSync(join(root, 'docs/recipes.md'), 'utf8').matchAll(/^## (.*)$/gm);
  return [...headings].map(([, heading = '']) => [heading, `recipes#${slug(heading)}`]);
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
