/// <reference lib="dom" />
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crowdedFixture } from './support/crowded-fixture.js';
import { renderHtml } from './support/render.js';
import { faultsFixture, keyedFixture, resultFixture } from './support/result-fixture.js';

/** Debian's; elsewhere the variable names one. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

const missing = existsSync(executablePath)
  ? ''
  : ` (skipped: no ${executablePath}; apt-get install chromium)`;

describe.skipIf(missing)(`the page in a browser${missing}`, () => {
  let browser: Browser;
  let dir: string;
  let url: string;
  const urls: Record<string, string> = {};
  const complaints: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
    const pages = {
      index: resultFixture,
      faults: faultsFixture,
      keyed: keyedFixture,
      crowded: crowdedFixture({}, {}),
      'crowded-with-needs': crowdedFixture(
        { rate: 2_000, p99Ms: 5 },
        { notComparable: 'load 3.1 on 2 cores' },
      ),
    };
    for (const [name, result] of Object.entries(pages)) {
      const file = join(dir, `${name}.html`);
      await writeFile(file, renderHtml(result));
      urls[name] = pathToFileURL(file).href;
    }
    url = urls.index ?? '';
  });
  afterAll(async () => {
    await browser?.close();
    await rm(dir, { recursive: true });
  });

  async function open(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(url);
    return page;
  }

  const part = (page: Page, title: string) =>
    page.locator('details.part', { has: page.getByRole('heading', { name: title, exact: true }) });

  /** Opens a part by its link in the contents. */
  async function follow(page: Page, title: string): Promise<void> {
    await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click();
  }

  it('complains of nothing and asks the network for nothing', async () => {
    const page = await open();
    expect(complaints).toEqual([]);
    expect(requests.map((request) => request.replace(/#.*/, ''))).toEqual([url]);
    await page.close();
  });

  it.each([360, 375, 768, 1440])('fits into %d pixels: only tables scroll sideways', async (width) => {
    const page = await open({ viewport: { width, height: 900 } });
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    await page.close();
  });

  it('begins with what decides, and folds the rest', async () => {
    const page = await open({ viewport: { width: 1440, height: 900 } });
    const decides = [
      page.getByRole('heading', { name: 'Use quick-ids, which' }),
      page.getByRole('img', { name: 'p99 against the rate' }),
      page.getByRole('cell', { name: 'limit of its format' }),
    ];
    for (const one of decides) {
      const { y = 900, height = 0 } = (await one.boundingBox()) ?? {};
      expect(y + height).toBeLessThan(900);
    }
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(2_500);
    await page.close();
  });

  it('opens each part by its link', async () => {
    const page = await open();
    const links = await page.getByRole('navigation').getByRole('link').allInnerTexts();
    expect(links).toHaveLength(await page.locator('details.part').count());
    for (const title of links) {
      const body = part(page, title).locator('> div');
      expect(await body.isVisible()).toBe(false);
      await follow(page, title);
      expect(await body.isVisible()).toBe(true);
    }
    await page.close();
  });

  it('shows at an edge that a table goes on beyond it', async () => {
    const page = await open({ viewport: { width: 375, height: 900 } });
    const scroller = page.locator('.decision .scroll');
    const { x = 0, y = 0, width = 0 } = (await scroller.boundingBox()) ?? {};
    // Beside the caption, where there is no text.
    const clip = { x: x + width - 6, y: y + 2, width: 6, height: 10 };
    const edge = async () => (await page.screenshot({ clip, fullPage: true })).toString('base64');
    const more = await edge();
    await scroller.evaluate((element) =>
      element.scrollTo({ left: element.scrollWidth, behavior: 'instant' }),
    );
    expect(await edge()).not.toBe(more);
    await page.close();
  });

  it('has one picture for the width of the screen', async () => {
    const page = await open({ viewport: { width: 375, height: 900 } });
    const shown = page.getByRole('img', { name: 'p99 against the rate' });
    expect(await shown.count()).toBe(1);
    // Text of 12 units is 12 pixels: it is not shrunk.
    const { width = 0 } = (await shown.boundingBox()) ?? {};
    expect(width / Number((await shown.getAttribute('viewBox'))?.split(' ')[2])).toBeGreaterThan(0.9);
    await page.close();
  });

  it.each(['light', 'dark'] as const)(
    'has readable text on its ground when it is %s',
    async (colorScheme) => {
      const page = await open({ colorScheme });
      const [ink, ground] = await page.evaluate(() => {
        const luminance = (color: string) => {
          const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map((text) => {
            const part = Number(text) / 255;
            return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const { color, backgroundColor } = getComputedStyle(document.body);
        return [luminance(color), luminance(backgroundColor)];
      });
      const [dark = 0, bright = 0] = [ink ?? 0, ground ?? 0].sort((a, b) => a - b);
      expect((bright + 0.05) / (dark + 0.05)).toBeGreaterThan(7);
      expect((ground ?? 0) > 0.5).toBe(colorScheme === 'light');
      await page.close();
    },
  );

  it.each([
    ['crowded', 375],
    ['crowded', 1440],
    ['crowded-with-needs', 375],
    ['crowded-with-needs', 1440],
  ])('keeps the texts of each chart apart and readable: %s at %d pixels', async (name, width) => {
    const page = await open({ viewport: { width, height: 900 } });
    await page.goto(urls[name] ?? '');
    const { charts, problems } = await page.evaluate(() => {
      for (const part of document.querySelectorAll<HTMLDetailsElement>('details')) part.open = true;
      const found: string[] = [];
      const shown = [...document.querySelectorAll('svg')].filter((svg) => svg.getClientRects().length > 0);
      for (const svg of shown) {
        const frame = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll('text')].map((element) => ({
          text: element.textContent,
          box: element.getBoundingClientRect(),
        }));
        for (const [i, { text, box }] of texts.entries()) {
          const where = `${svg.getAttribute('aria-label')}: ${text}`;
          if (box.height < 11) found.push(`${where}: only ${box.height} pixels high`);
          if (box.left < frame.left - 1 || box.right > frame.right + 1) found.push(`${where}: cut off`);
          for (const other of texts.slice(i + 1)) {
            // The boxes of two lines of text touch.
            const [wide, high] = [
              Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left),
              Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top),
            ];
            if (wide > 0 && high > 3) found.push(`${where}: over ${other.text}`);
          }
        }
      }
      return { charts: shown.length, problems: found };
    });
    expect(problems).toEqual([]);
    expect(charts).toBe(1);
    await page.close();
  });

  it('begins with the headline, which says the rate that was reached', async () => {
    const page = await open({ viewport: { width: 375, height: 900 } });
    expect(await page.locator('.verdict h2').textContent()).toBe(
      'Use quick-ids, which reached 16.8 M ids/s in one process',
    );
    await page.goto(urls['crowded-with-needs'] ?? '');
    expect(await page.locator('.verdict h2').textContent()).toBe(
      'No recommendation: other programs were busy on this machine (load 3.1 on 2 cores)',
    );
    await page.close();
  });

  it('shows a table with every chart, and a name for it', async () => {
    const page = await open();
    const charts = page.locator('svg');
    expect(await charts.count()).toBeGreaterThan(0);
    for (const chart of await charts.all()) {
      expect(await chart.getAttribute('aria-label')).toBeTruthy();
      expect(await chart.locator('xpath=following::table[1]').count()).toBe(1);
    }
    await page.close();
  });

  it('prints', async () => {
    const page = await open();
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    for (const title of ['Uniqueness', 'Order', 'Throughput in memory']) {
      expect(await part(page, title).getByRole('table').first().isVisible()).toBe(true);
    }
    // Nothing is cut off at the right edge of A4.
    await page.setViewportSize({ width: 720, height: 1_000 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(720);
    // The head of a table is not repeated on each of its pages.
    expect(
      await page
        .locator('thead')
        .first()
        .evaluate((head) => getComputedStyle(head).display),
    ).not.toBe('table-header-group');
    await page.close();
  });
});
