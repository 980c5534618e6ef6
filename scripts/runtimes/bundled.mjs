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

const WORKER = `export default {
  async fetch(_, env) {
    await program.default(env);
    return new Response('ran');
  },
}`;

/** Programs get `bindings`, and a database of D1. */
export function inWorkerd(bundled, bindings) {
  return runAll(bundled, async (script) => {
    const worker = new Miniflare({
      // As a module with its text: Miniflare would look for the optional imports of a script.
      modules: [{ type: 'ESModule', path: 'worker.mjs', contents: `${script}\n${WORKER}` }],
      compatibilityDate: '2025-01-01',
      d1Databases: ['DB'],
      bindings,
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

/** Undefined if there is no Chromium. Programs get `bindings`. */
export async function inChromium(bundled, bindings) {
  if (!existsSync(executablePath)) return undefined;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    return await runAll(bundled, async (script) => {
      const page = await browser.newPage();
      try {
        await page.evaluate(`${script}\nprogram.default(${JSON.stringify(bindings)})`);
      } finally {
        await page.close();
      }
    });
  } finally {
    await browser.close();
  }
}
