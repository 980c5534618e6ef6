// Makes one document of src/page, with its script and style inside, and the policy that allows only these.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const page = new URL('../src/page/', import.meta.url);

async function bundled(file, options) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, page))],
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    ...options,
  });
  // The end of the element, should a string contain it.
  return outputFiles[0].text.trim().replaceAll('</', '<\\/');
}

const script = await bundled('main.ts', { format: 'iife', target: 'es2022' });
const style = await bundled('style.css', {});
const template = await readFile(new URL('index.html', page), 'utf8');
const html = template.replace('/* main.ts */', () => script).replace('/* style.css */', () => style);

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "connect-src 'self'",
  // The empty icon, without which a browser would ask for /favicon.ico.
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const lines = [
  '// Made from src/page by scripts/embed-page.mjs.',
  `export const HTML = ${JSON.stringify(html)};`,
  `export const POLICY = ${JSON.stringify(policy)};`,
  '',
];
await writeFile(new URL('../src/page.generated.ts', import.meta.url), lines.join('\n'));
