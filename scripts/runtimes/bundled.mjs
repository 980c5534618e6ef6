// The runtimes that get a program as one file: workerd and a browser. What needs a module of Node.js cannot
// be bundled for them.
import { existsSync } from 'node:fs';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { chromium } from 'playwright-core';

/** Debian's; elsewhere the variable names one. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** By name of a program: its file, or why there is none. */
export async function bundles(folder, names) {
  const bundled = await Promise.all(names.map(async (name) => [name, await bundle(folder, name)]));
  return Object.fromEntries(bundled);
}

async function bundle(folder, name) {
  try {
    const { outputFiles } = await build({
      stdin: { contents: `export { default } from './${name}.mjs'`, resolveDir: folder },
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'program',
      platform: 'browser',
      conditions: ['browser'],
      logLevel: 'silent',
    });
    return { script: outputFiles[0].text };
  } catch (error) {
    return { problem: error.message };
  }
}

async function runAll(bundled, run) {
  const outcomes = {};
  for (const [name, { script, problem }] of Object.entries(bundled)) {
    outcomes[name] = problem ?? (await run(script).then(() => '', String));
  }
  return outcomes;
}

export function inWorkerd(bundled) {
  return runAll(bundled, async (script) => {
    const worker = new Miniflare({
      modules: true,
      script: `${script}\nexport default { async fetch() { await program.default(); return new Response('ran'); } };`,
      compatibilityDate: '2025-01-01',
    });
    try {
      const response = await worker.dispatchFetch('http://runtimes.test/');
      const text = await response.text();
      if (text !== 'ran') throw new Error(text);
    } finally {
      await worker.dispose();
    }
  });
}

/** Undefined if there is no Chromium. */
export async function inChromium(bundled) {
  if (!existsSync(executablePath)) return undefined;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    return await runAll(bundled, async (script) => {
      const page = await browser.newPage();
      try {
        await page.evaluate(`${script}\nprogram.default()`);
      } finally {
        await page.close();
      }
    });
  } finally {
    await browser.close();
  }
}
