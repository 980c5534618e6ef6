/// <reference lib="dom" />
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesOf, sidebar } from '../src/sidebar.js';

const folder = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const site = join(folder, 'dist/site');

/** Where it would be published: below a path, as GitHub Pages does it. */
const REPOSITORY = 'https://github.com/example/ids';
const BASE = '/ids/';
const ADDRESS = `https://example.github.io${BASE}`;

/** Debian's; elsewhere the variable names one. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const missing = existsSync(executablePath)
  ? ''
  : ` (skipped: no ${executablePath}; apt-get install chromium)`;

beforeAll(async () => {
  const { npm_execpath: _, IDS_SITE_URL: __, ...inherited } = process.env;
  const env = { ...inherited, IDS_REPOSITORY: REPOSITORY };
  await promisify(execFile)(join(folder, 'node_modules/.bin/vitepress'), ['build'], { cwd: folder, env });
});

/** Paths of all pages but those of the API, without `.html`. */
function pages(): string[] {
  return readdirSync(site, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html') && !file.startsWith('api/'))
    .map((file) => file.replace(/\.html$/, ''));
}

/** The file that a server of static files answers with; undefined if there is none. */
function fileOf(path: string): string | undefined {
  if (!path.startsWith(BASE)) return undefined;
  const file = join(site, decodeURIComponent(path.slice(BASE.length)));
  return [file, `${file}.html`, join(file, 'index.html')].find(
    (candidate) => existsSync(candidate) && statSync(candidate).isFile(),
  );
}

describe('the pages', () => {
  it('link to pages, files and headings that exist', () => {
    const ids = new Map<string, Set<string>>();
    const idsOf = (file: string) => {
      const known = ids.get(file) ?? new Set(matches(readFileSync(file, 'utf8'), / id="([^"]+)"/g));
      ids.set(file, known);
      return known;
    };
    let links = 0;
    const dead = pages().flatMap((page) => {
      const file = join(site, `${page}.html`);
      return matches(readFileSync(file, 'utf8'), / (?:href|src)="([^"]+)"/g).flatMap((href) => {
        if (/^(https?:|data:|mailto:)/.test(href)) return [];
        links++;
        const { pathname, hash } = new URL(href, `http://site.test${BASE}${page}`);
        const target = fileOf(pathname);
        const heading = decodeURIComponent(hash.slice(1));
        const found = target !== undefined && (heading === '' || idsOf(target).has(heading));
        return found ? [] : [`${page}: ${href}`];
      });
    });
    expect(dead).toEqual([]);
    expect(links).toBeGreaterThan(1_000);
  });

  it('are all in the sidebar, and in llms.txt', () => {
    const listed = pagesOf(sidebar(root)).flatMap(({ items = [] }) =>
      items.map(({ link }) => link?.slice(1)),
    );
    const found = pages().filter((page) => !['index', '404'].includes(page));
    expect(found.sort()).toEqual([...listed].sort());
    const llms = readFileSync(join(site, 'llms.txt'), 'utf8');
    const lines = llms.split('\n').filter((line) => line.startsWith('- '));
    expect(found.filter((page) => !llms.includes(`(${ADDRESS}${page}.md)`))).toEqual([]);
    expect(lines.filter((line) => !/^- \[.+\]\(https:.+\.md\): .{20,}[.!?…]$/.test(line))).toEqual([]);
  });
});

it('blocks of code with labels are tabs, in the order of their page', () => {
  const page = readFileSync(join(site, 'quick-start.html'), 'utf8');
  const [install, services] = page.split('class="vp-code-group').slice(1);
  const labels = [install, services].map((group = '') => matches(group, / data-title="([^"]+)"/g));
  expect(labels).toEqual([
    ['npm', 'pnpm', 'yarn', 'bun'],
    ['Express', 'Fastify', 'Hono', 'Next.js', 'NestJS'],
  ]);
});

/** The `content` of a `meta` element, or the `href` of a `link`, of a page. */
function headOf(page: string): (name: string) => string | undefined {
  const text = readFileSync(join(site, `${page}.html`), 'utf8');
  return (name) => {
    const [, value] =
      new RegExp(`<(?:meta|link) (?:name|property|rel)="${name}" (?:content|href)="([^"]*)"`).exec(text) ??
      [];
    return value;
  };
}

describe('what other sites show of a page', () => {
  const published = () => pages().filter((page) => page !== '404');

  it('is a description of its own, of one or more whole phrases', () => {
    const described = published().map((page) => headOf(page)('description') ?? '');
    expect(described.filter((text) => text.length < 20 || text.length > 300)).toEqual([]);
    expect(new Set(described).size).toBe(described.length);
    expect(headOf('packages/uuid7')('og:description')).toMatch(/^UUIDs of version 7 .*32 random bits\.$/);
  });

  it('is its title, its address, and a picture that exists', () => {
    for (const page of published()) {
      const url = `${ADDRESS}${page === 'index' ? '' : page}`;
      const head = headOf(page);
      expect([head('canonical'), head('og:url')], page).toEqual([url, url]);
      expect(head('og:title'), page).toBeTruthy();
    }
    expect(headOf('404')('canonical')).toBeUndefined();
    const image = headOf('index')('og:image') ?? '';
    expect(fileOf(new URL(image).pathname)).toBeDefined();
  });

  it('is in the site map, once for each page', () => {
    const listed = matches(readFileSync(join(site, 'sitemap.xml'), 'utf8'), /<loc>([^<]*)<\/loc>/g);
    const urls = published().map((page) => headOf(page)('canonical'));
    expect(listed.sort()).toEqual(urls.sort());
  });
});

describe('the API reference', () => {
  it('leads from each of its pages back to the guide of the package', () => {
    const files = readdirSync(join(site, 'api'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.html'),
    );
    const leading = files.map((file) => {
      const [links = ''] = matches(
        readFileSync(join(site, 'api', file), 'utf8'),
        /<p class="guides">(.*?)<\/p>/g,
      );
      const targets = matches(links, / href="([^"]+)"/g).map(
        (href) => new URL(href, `http://site.test${BASE}api/${file}`),
      );
      return { file, targets, found: targets.every(({ pathname }) => fileOf(pathname) !== undefined) };
    });
    expect(leading.filter(({ targets, found }) => targets.length === 0 || !found)).toEqual([]);
    const [uuid7] = leading.filter(({ file }) => file === 'modules/_ids_uuid7.html');
    expect(uuid7?.targets.map(({ pathname }) => pathname)).toEqual([
      `${BASE}packages/uuid7`,
      `${BASE}overview`,
    ]);
  });
});

describe.skipIf(missing)(`the site in a browser${missing}`, () => {
  let browser: Browser;
  const complaints: string[] = [];
  const outside: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    page.on('console', (message) => complaints.push(`${path}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`${path}: ${error.message}`));
    await page.route('**/*', (route) => {
      const { hostname, pathname } = new URL(route.request().url());
      const file = hostname === 'site.test' ? fileOf(pathname) : undefined;
      if (hostname !== 'site.test') outside.push(route.request().url());
      return file === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ path: file });
    });
    await page.goto(`http://site.test${BASE}${path}`);
    // What is typed before Vue has taken over the page is lost.
    await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
    return page;
  }

  const rows = (page: Page) => page.locator('.inspect tr').allInnerTexts();

  it('shows what a pasted ID contains', async () => {
    const page = await open('inspect');
    await page.fill('#id', '019b76da-a800-7abc-9d78-9abcfedcba98');
    expect(await page.locator('.inspect caption').allInnerTexts()).toEqual(['uuid7']);
    expect((await rows(page))[0]).toContain('2026-01-01T00:00:00.000Z');
    await page.fill('#id', '250278837173092352');
    expect((await rows(page)).join('\n')).toMatch(/slot\s+\d+/);
    await page.fill('#id', 'order_01h455vb4pex5vsknk084sn02q');
    expect((await rows(page)).join('\n')).toContain('01890a5d-ac96-774b-bcce-b302099a8057');
    await page.fill('#id', 'hello');
    expect(await rows(page)).toEqual([]);
    expect(await page.locator('.inspect .unknown').textContent()).toContain('Not an ObjectId');
    await page.close();
  });

  it.each(['ObjectIds', 'UUIDs'])('issues %s that increase, by keyboard', async (what) => {
    const page = await open('inspect');
    const issue = async () => {
      await page.getByRole('button', { name: what }).press('Enter');
      return page.locator('.issued li').allInnerTexts();
    };
    const ids = [...(await issue()), ...(await issue())];
    expect(ids).toHaveLength(10);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect((await rows(page)).length).toBeGreaterThan(2);
    await page.close();
  });

  it('fits into 375 to 1440 pixels: only tables and code scroll sideways', async () => {
    const wide: string[] = [];
    const page = await open('');
    for (const path of pages()) {
      await page.goto(`http://site.test${BASE}${path === 'index' ? '' : path}`);
      for (const width of [375, 390, 1280, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (overflow > 0) wide.push(`${path}: ${overflow} at ${width}`);
      }
    }
    expect(wide).toEqual([]);
    await page.close();
  });

  it('shows versions, the picture of a report, and where to edit a page', async () => {
    const page = await open('');
    const picture = page.getByRole('img', { name: 'p99 against the rate' });
    expect(await picture.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(480);
    expect(await page.locator('.VPNavBar').textContent()).toMatch(/core: (not released|\d+\.\d+\.\d+)/);
    expect(await page.getByRole('heading', { name: 'Why not just a UUID?' }).count()).toBe(1);
    await page.goto(`http://site.test${BASE}packages/uuid7`);
    const edit = page.getByRole('link', { name: 'Edit this page' });
    expect(await edit.getAttribute('href')).toBe(`${REPOSITORY}/edit/main/packages/uuid7/README.md`);
    await page.close();
  });

  it('finds a page by a word', async () => {
    const page = await open('');
    await page.keyboard.press('Control+k');
    await page.fill('.VPLocalSearchBox input', 'low-water mark');
    await page.locator('.VPLocalSearchBox .result').first().waitFor();
    expect(await page.locator('.VPLocalSearchBox .result').allInnerTexts()).toContainEqual(
      expect.stringContaining('Glossary'),
    );
    await page.close();
  });

  it('complained of nothing, and asked nobody else', () => {
    expect(complaints).toEqual([]);
    expect(outside).toEqual([]);
  });
});

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, match = '']) => match.replaceAll('&amp;', '&'));
}
