import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Bundled, bundle } from './support/bundle.js';
import { firstNotRising } from './support/ids.js';

/** Debian's; elsewhere the variable names one. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

describe('in a browser', () => {
  it('ids are issued and read as in Node', async ({ skip }) => {
    if (!existsSync(executablePath)) skip(`${executablePath} is not there: apt-get install chromium`);
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: `globalThis.uuid7s = ${bundle()};` });
      const ids = await page.evaluate(async () => {
        const { createUuid7Generator, uuid7FromBytes, parseUuid7 } = Reflect.get(
          globalThis,
          'uuid7s',
        ) as Bundled;
        const [one, other] = [createUuid7Generator(), createUuid7Generator()];
        const issued = [one.nextSync(), ...one.nextBatchSync(5_000), other.nextSync()];
        await new Promise((resolve) => setTimeout(resolve));
        issued.push(other.nextSync(), await one.next());
        issued.push(uuid7FromBytes(createUuid7Generator({ as: 'bytes' }).nextSync()));
        return { issued, parsed: issued.map((id) => parseUuid7(id).uuid) };
      });
      expect(ids.issued).toHaveLength(5_005);
      expect(firstNotRising(ids.issued)).toBe(-1);
      expect(ids.parsed).toEqual(ids.issued);
    } finally {
      await browser.close();
    }
  });
});
