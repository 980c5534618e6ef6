/// <reference lib="dom" />
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sidebar } from '../src/sidebar.js';

const folder = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const site = join(folder, 'dist/site');

/** Debian's; elsewhere the variable names one. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const missing = existsSync(executablePath)
  ? ''
  : ` (skipped: no ${executablePath}; apt-get install chromium)`;

beforeAll(async () => {
  const { npm_execpath: _, ...env } = process.env;
  const run = (tool: string, ...args: string[]) =>
    promisify(execFile)(join(folder, 'node_modules/.bin', tool), args, { cwd: folder, env });
  await run('vitepress', 'build');
  await run('typedoc', '--options', '../../typedoc.json');
});

/** Paths of all pages but those of the API, without `.html`. */
function pages(): string[] {
  return readdirSync(site, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html') && !file.startsWith('api/'))
    .map((file) => file.replace(/\.html$/, ''));
}

/** The file that a server of static files answers with; undefined if there is none. */
function fileOf(path: string): string | undefined {
  const file = join(site, decodeURIComponent(path));
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
        const { pathname, hash } = new URL(href, `http://site.test/${page}`);
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
    const listed = sidebar(root).flatMap(({ items = [] }) => items.map(({ link }) => link?.slice(1)));
    const found = pages().filter((page) => !['index', '404'].includes(page));
    expect(found.sort()).toEqual([...listed].sort());
    const llms = readFileSync(join(site, 'llms.txt'), 'utf8');
    expect(found.filter((page) => !llms.includes(`(/${page}.md)`))).toEqual([]);
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
    await page.goto(`http://site.test${path}`);
    // What is typed before Vue has taken over the page is lost.
    await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
    return page;
  }

  const rows = (page: Page) => page.locator('.inspect tr').allInnerTexts();

  it('shows what a pasted ID contains', async () => {
    const page = await open('/inspect');
    await page.fill('#id', '019b76da-a800-7abc-9d78-9abcfedcba98');
    expect(await page.locator('.inspect caption').allInnerTexts()).toEqual(['uuid7']);
    expect((await rows(page))[0]).toContain('2026-01-01T00:00:00.000Z');
    await page.fill('#id', '250278837173092352');
    expect((await rows(page)).join('\n')).toMatch(/slot\s+\d+/);
    await page.fill('#id', 'hello');
    expect(await rows(page)).toEqual([]);
    expect(await page.locator('.inspect .unknown').textContent()).toContain('Not an ObjectId');
    await page.close();
  });

  it.each(['ObjectIds', 'UUIDs'])('issues %s that increase, by keyboard', async (what) => {
    const page = await open('/inspect');
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

  it('fits into 375 and 1440 pixels: only tables and code scroll sideways', async () => {
    const wide: string[] = [];
    const page = await open('/');
    for (const path of pages()) {
      await page.goto(`http://site.test/${path === 'index' ? '' : path}`);
      for (const width of [375, 1440]) {
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

  it('finds a page by a word', async () => {
    const page = await open('/');
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
