import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Bundled, bundle } from './support/bundle.js';
import { firstNotRising } from './support/issuer-at.js';

/** Debian's; elsewhere the variable names one. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

describe('in a browser', () => {
  it('ids and ObjectIds are issued as in Node', async ({ skip }) => {
    if (!existsSync(executablePath)) skip(`${executablePath} is not there: apt-get install chromium`);
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: `globalThis.objectids = ${bundle()};` });
      const ids = await page.evaluate(async () => {
        const { createObjectIdGenerator, ObjectId, inspectObjectId } = Reflect.get(
          globalThis,
          'objectids',
        ) as Bundled;
        const [one, other] = [createObjectIdGenerator(), createObjectIdGenerator()];
        const issued = [one.nextSync(), ...one.nextBatchSync(5_000), other.nextSync()];
        await new Promise((resolve) => setTimeout(resolve));
        issued.push(other.nextSync(), new ObjectId().toString(), await one.next());
        const parsed = issued.map((id) => String(new ObjectId(new ObjectId(id).id)));
        return { issued, parsed, parts: inspectObjectId(issued[0] ?? '')?.map(({ name }) => name) };
      });
      expect(ids.issued).toHaveLength(5_005);
      expect(firstNotRising(ids.issued)).toBe(-1);
      expect(ids.parsed).toEqual(ids.issued);
      expect(ids.parts).toEqual(['time', 'random', 'counter']);
    } finally {
      await browser.close();
    }
  });
});
