/// <reference lib="dom" />
import { existsSync } from 'node:fs';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIdsHandler } from '../src/handler.js';
import { idsPage } from '../src/page-response.js';
import { beside, page as pagePart } from '../src/process/beside.js';
import type { Status } from '../src/status-schema.js';
import { degraded, down, type GeneratorStatus, generatorStatus, statusOf } from './support/status-fixture.js';
import { newToken } from './support/tokens.js';

/** Debian's; elsewhere the variable names one. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const missing = existsSync(executablePath)
  ? ''
  : ` (skipped: no ${executablePath}; apt-get install chromium)`;

const URL_OF_PAGE = 'http://ids.example.com/';
const HOSTILE = '"><script>window.hacked = 1</script>\u202e; rm -rf ~';

const healthy = statusOf(generatorStatus('order'), generatorStatus('ticket'));
const troubled = statusOf(
  generatorStatus('ticket'),
  down('order', 'ERR_IDS_EXHAUSTED'),
  down(HOSTILE, 'ERR_IDS_REGRESSED', 3),
  degraded('mail'),
);
const many = statusOf(...Array.from({ length: 40 }, (_, i) => generatorStatus(`service-${i}`)));

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** What axe finds by the rules of WCAG 2.2 AA, and by its own of good practice. */
async function violationsOf(page: Page) {
  await page.addScriptTag({ content: axe.source });
  return page.evaluate(async () => {
    const inPage = (window as unknown as { axe: { run(o: object): Promise<{ violations: Violation[] }> } })
      .axe;
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await inPage.run({ runOnly: tags });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })),
    );
  });
}

type Answer = (request: Request) => Response | Promise<Response>;

describe.skipIf(missing)(`the page in a browser${missing}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  const complaints: string[] = [];
  const asked: Request[] = [];

  /** Opens the page; everything that it asks for is answered here, and nothing by the network. */
  async function open(answer: Answer, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    complaints.length = 0;
    asked.length = 0;
    const page = await browser.newPage(options);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => complaints.push(message.text()));
    await page.route('**/*', async (route) => {
      const { url, method, headers, postData } = {
        url: route.request().url(),
        method: route.request().method(),
        headers: await route.request().allHeaders(),
        postData: route.request().postData(),
      };
      const kept = Object.entries(headers).filter(([name]) => !name.startsWith(':'));
      const request = new Request(url, { method, headers: kept, ...(postData && { body: postData }) });
      asked.push(request);
      const response = await answer(request);
      await route.fulfill({
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      });
    });
    await page.clock.install();
    await page.goto(URL_OF_PAGE);
    return page;
  }

  /** The page above what `status` returns. */
  async function show(status: () => Status, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await open(
      async ({ url }) => (new URL(url).pathname === '/' ? idsPage() : Response.json(status())),
      options,
    );
    await page.locator('#shown').waitFor();
    return page;
  }

  it('asks for nothing but itself and its data, under a policy that allows no more', async () => {
    const page = await show(() => troubled);
    expect(complaints).toEqual([]);
    expect(new Set(asked.map(({ url }) => url))).toEqual(new Set([URL_OF_PAGE, `${URL_OF_PAGE}v1/status`]));
    const policy = idsPage().headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; connect-src 'self'/,
    );
    expect(policy).not.toMatch(/unsafe/);
    // What an attacker could add is not run.
    await page
      .evaluate(() => {
        const script = document.createElement('script');
        script.append('window.hacked = 2');
        document.body.append(script);
      })
      .catch(() => undefined);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    await page.close();
  });

  it('shows names as text, whatever is in them, and quotes them in commands', async () => {
    const page = await show(() => troubled);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await page.locator('main script').count()).toBe(0);
    const command = page.locator('.command code', { hasText: 'hacked' }).first();
    expect(await command.textContent()).toBe(
      `ids floor $'"><script>window.hacked = 1</script>\\u202e; rm -rf ~'`,
    );
    expect(await page.locator('main').textContent()).not.toContain('\u202e');
    await page.close();
  });

  it('says first what is wrong, since when, and which command mends it', async () => {
    const page = await show(() => troubled, { viewport: { width: 390, height: 844 } });
    expect(await page.locator('#verdict').textContent()).toBe(
      '2 of 4 generators give no IDs, 1 of 4 generators needs a look',
    );
    const [first, , last] = await page.getByRole('article').all();
    expect(await first?.textContent()).toMatch(
      /order: The range of IDs is used up.*Since \d\d:\d\d:\d\d, 2 minutes ago.*ids swap --from order/,
    );
    expect(await last?.textContent()).toMatch(
      /mail: .*IDs still come from memory: 4,100, for about 1 minute.*ids doctor/,
    );
    const { y = 844 } = (await page.getByText('ids floor order').first().boundingBox()) ?? {};
    expect(y).toBeLessThan(844);
    await page.close();
  });

  it('has a command for every code', async () => {
    const codes = ['CLOCK', 'CONFIG', 'EXHAUSTED', 'REALM', 'REGRESSED', 'UNAVAILABLE', 'UNMET', 'NEW'];
    const page = await show(() => statusOf(...codes.map((code) => down(code, `ERR_IDS_${code}`))));
    const cards = await page.getByRole('article').all();
    expect(cards).toHaveLength(codes.length);
    for (const card of cards) expect(await card.locator('.command').count()).toBeGreaterThan(0);
    await page.close();
  });

  it.each([
    ['troubled', 390, 'light', troubled],
    ['troubled', 1280, 'dark', troubled],
    ['many', 390, 'dark', statusOf(...many.generators.slice(0, 12))],
  ] as const)(
    'fits and is accessible when it is %s: %d pixels, %s',
    async (_, width, colorScheme, status) => {
      // The tool that checks it is injected, which the policy would refuse.
      const page = await show(() => status, {
        viewport: { width, height: 844 },
        colorScheme,
        bypassCSP: true,
      });
      await page.locator('.name').first().click();
      expect(await overflow(page)).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
      await page.close();
    },
  );

  it('says something to a screen reader only if something changed, and keeps the focus', async () => {
    let status = healthy;
    const page = await show(() => status);
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      const live = document.querySelectorAll('[role=status], [role=alert]');
      for (const region of live)
        new MutationObserver(() => said.push(region.textContent ?? '')).observe(region, {
          childList: true,
          characterData: true,
          subtree: true,
        });
    });
    const said = () => page.evaluate(() => (window as unknown as { said: string[] }).said);
    // The second request comes after the answer to the first one was shown.
    const polled = async () => {
      const before = asked.length;
      const requests = async () => {
        await page.clock.runFor(2_000);
        return asked.length;
      };
      await expect.poll(requests).toBeGreaterThan(before + 1);
    };
    await page.getByRole('button', { name: 'order' }).focus();
    await polled();
    expect(await said()).toEqual([]);
    status = statusOf(generatorStatus('order'), degraded('ticket'));
    await polled();
    expect(await said()).toEqual(['1 of 2 generators needs a look']);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('order');
    await page.close();
  });

  it('is used by keyboard: details, pause and filter', async () => {
    const page = await show(() => many);
    await page.getByRole('searchbox').fill('SERVICE-17');
    expect(await page.locator('#generators > tbody:visible').count()).toBe(1);
    await page.getByRole('button', { name: 'service-17' }).press('Enter');
    expect(await page.getByRole('button', { name: 'service-17' }).getAttribute('aria-expanded')).toBe('true');
    expect(await page.locator('#generators .more:visible').textContent()).toContain('1500001 to 1510000');
    await page.getByRole('button', { name: 'Pause' }).press('Space');
    expect(await page.getByRole('button', { name: 'Pause' }).getAttribute('aria-pressed')).toBe('true');
    await page.close();
  });

  it('says when the server does not answer, and keeps what it knew', async () => {
    let fails = false;
    const page = await open(async ({ url }) => {
      if (new URL(url).pathname === '/') return idsPage();
      return fails ? new Response('', { status: 502 }) : Response.json(healthy);
    });
    await page.getByText('All is well').waitFor();
    fails = true;
    await page.clock.runFor(2_000);
    await page.getByRole('alert').filter({ hasText: 'What is below is as of' }).waitFor();
    expect(await page.getByRole('button', { name: 'ticket' }).isVisible()).toBe(true);
    await page.close();
  });

  it('asks for a token, keeps it in this tab, and sends it in a header only', async () => {
    const source = new MemorySegmentSource({ order: {} });
    const { realm } = await source.describe('order');
    const generator = await createSegmentInprocGenerator({ name: 'order', source });
    const { token, hash } = newToken();
    const clients = [{ name: 'ops', tokens: [hash], rights: ['read'] as const }];
    const page = await open(
      beside(createIdsHandler({ generators: { order: { generator, realm } }, clients }), pagePart),
    );
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('This server knows no such token.').waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByLabel('Token').press('Enter');
    await page.getByRole('button', { name: 'order' }).waitFor();
    expect(asked.at(-1)?.headers.get('authorization')).toBe(`Bearer ${token}`);
    expect(asked.map(({ url }) => url).join()).not.toContain(token);
    const kept = () =>
      page.evaluate(() => [JSON.stringify(sessionStorage), JSON.stringify(localStorage), document.cookie]);
    expect(await kept()).toEqual([JSON.stringify({ 'ids-token': token }), '{}', '']);
    await page.getByRole('button', { name: 'Forget the token' }).click();
    expect(await kept()).toEqual(['{}', '{}', '']);
    await page.close();
    await generator.close();
  });

  it('looks up who made an ID', async () => {
    const byKey: Partial<GeneratorStatus> = { keyed: true };
    const page = await open(async ({ url }) => {
      const { pathname, searchParams } = new URL(url);
      if (pathname === '/') return idsPage();
      if (pathname === '/v1/status')
        return Response.json(statusOf(generatorStatus('order'), generatorStatus('chat', byKey)));
      if (searchParams.get('key') === null)
        return Response.json({ detail: 'generator "order" keeps no grant log' }, { status: 409 });
      return Response.json({ parts: [{ name: 'owner', value: `shop-1 for ${searchParams}` }] });
    });
    await page.getByLabel('ID', { exact: true }).fill(' 57 ');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText('Not found: generator "order" keeps no grant log').waitFor();
    await page.getByLabel('Generator', { exact: true }).selectOption('chat');
    await page.getByLabel('Key').fill('a b');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText('shop-1 for name=chat&id=57&key=a+b').waitFor();
    await page.close();
  });
});
