import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { slug } from 'github-slugger';
import { defineConfig, type Plugin } from 'vitepress';
import llms from 'vitepress-plugin-llms';
import { addressOf, basePath } from '../src/address.js';
import { writeApiReference } from '../src/api-reference.js';
import { codeGroups } from '../src/code-groups.js';
import { Descriptions, headOf } from '../src/head.js';
import { listedForModels } from '../src/llms.js';
import { NO_PAGES, pageOf } from '../src/pages.js';
import { repositoryLinks } from '../src/repository-links.js';
import { nav, pagesOf, sidebar } from '../src/sidebar.js';
import { versions } from '../src/versions.js';

const site = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const address = addressOf(root);
const base = basePath(address);
const descriptions = new Descriptions();
const DESCRIPTION = 'Unique IDs for TypeScript services: several strategies behind one interface';

/** Pages that are rendered at build time import Vue from where they are, which is outside of this package. */
const vueOfThisPackage: Plugin = {
  name: 'vue-of-this-package',
  enforce: 'pre',
  resolveId: (id, _importer, { ssr = false }) =>
    ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined,
};

export default defineConfig({
  title: 'ids',
  description: DESCRIPTION,
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', href: `${base}favicon.svg`, type: 'image/svg+xml' }]],
  // The pages are the Markdown files of the repository, where they are.
  srcDir: '../..',
  srcExclude: NO_PAGES,
  rewrites: (page) => pageOf(page) ?? page,
  outDir: `${site}dist/site`,
  cacheDir: `${site}.vitepress/cache`,
  cleanUrls: true,
  ...(address.site && { sitemap: { hostname: address.site } }),
  transformPageData: (page) => ({ description: descriptions.of(page) ?? DESCRIPTION }),
  transformHead: ({ pageData, description }) => headOf(pageData, description, address),
  buildEnd: ({ outDir }) => {
    // Written before any page was rendered, so without descriptions.
    // VitePress has its own last word only after this.
    process.once('exit', () => console.log(`look at it: pnpm docs:preview, at http://localhost:4173${base}`));
    const llmsFile = `${outDir}/llms.txt`;
    const text = readFileSync(llmsFile, 'utf8');
    writeFileSync(
      llmsFile,
      listedForModels(text, base, (page) => descriptions.ofPage(page)),
    );
    return writeApiReference(root, address);
  },
  // typedoc writes it into the finished site; a test follows the links that lead there.
  ignoreDeadLinks: [/^\/api\//],
  markdown: {
    languageAlias: { conf: 'ini' },
    // Links to headings are written for GitHub.
    anchor: { slugify: slug },
    config: (markdown) => {
      codeGroups(markdown);
      repositoryLinks(markdown, root, address);
      descriptions.collect(markdown, root);
    },
  },
  vite: {
    publicDir: `${site}public`,
    // @ids/segment imports functions of Node.js that no page uses. They are dropped from the bundle, but must
    // be found before that.
    build: { rollupOptions: { shimMissingExports: true } },
    plugins: [
      vueOfThisPackage,
      llms({
        domain: address.site === undefined ? '' : new URL(address.site).origin,
        excludeIndexPage: false,
        sidebar: pagesOf(sidebar(root)),
      }) as unknown as Plugin[],
    ],
  },
  themeConfig: {
    nav: [...nav, versions(root)],
    sidebar: sidebar(root),
    search: { provider: 'local' },
    outline: [2, 3],
    ...(address.repository && {
      editLink: { pattern: `${address.repository}/edit/main/:path`, text: 'Edit this page' },
    }),
  },
});
