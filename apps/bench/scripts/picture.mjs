// The picture of a report for the documentation. With the path of a result, it takes the points from it into
// docs/bench-report.json; without one, it draws them again. For links to the site, it is also a PNG, made by
// Chromium.
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { readResult } from '../dist/report/files.js';
import { candidatesOf, standalonePicture } from '../dist/report/rate-chart.js';

const docs = new URL('../../../docs/', import.meta.url);
const points = new URL('bench-report.json', docs);
const [file] = process.argv.slice(2);
if (file !== undefined) {
  const { cases, advice, profile, environment, startedAt, notComparable } = await readResult(
    // pnpm runs this in the folder of the package.
    resolve(process.env.INIT_CWD ?? '.', file),
  );
  if (notComparable !== undefined) throw new Error(`${file}: the machine was busy (${notComparable})`);
  const { cores, node } = environment;
  const measured = `${startedAt.slice(0, 10)}, ${profile} run on ${cores} cores, Node.js ${node}`;
  const candidates = candidatesOf(cases, advice?.choice);
  await writeFile(points, `${JSON.stringify({ measured, candidates }, null, 2)}\n`);
}
const { candidates } = JSON.parse(await readFile(points, 'utf8'));
const svg = standalonePicture(candidates);
await writeFile(new URL('bench-report.svg', docs), svg);

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
await page.setContent(`<style>body { margin: 0; display: grid; place-content: center; height: 630px; }
svg { width: auto; height: 600px; }</style>${svg}`);
const png = fileURLToPath(new URL('../../site/public/report.png', import.meta.url));
await page.screenshot({ path: png });
await browser.close();
