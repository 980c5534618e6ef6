import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { compiledModule } from '../../src/index.js';

const source = new URL('../references/local.ts', import.meta.url);

it('a module in JavaScript is given as it is', async () => {
  const module = new URL('file:///nowhere/subject.js');
  expect(await compiledModule(module)).toBe(module);
});

it('a module in TypeScript becomes one that Node.js loads, with its files in it and its packages outside', async () => {
  const { pathname } = await compiledModule(source);
  expect(pathname).toMatch(/\/packages\/conformance\/node_modules\/.*\.mjs$/);
  const text = await readFile(pathname, 'utf8');
  expect(text).toContain('from "@ids/core/strategy"');
  expect(text).not.toMatch(/from "\.\.?\//);
  expect(text).not.toMatch(/^import type/m);
});

it('a file that is compiled into another one knows its own URL', async () => {
  const { href } = await compiledModule(new URL('./own-url.ts', import.meta.url));
  expect(href).not.toContain('own-url.ts');
  const { ownUrl } = (await import(/* @vite-ignore */ href)) as typeof import('./own-url.js');
  expect(ownUrl).toBe(new URL('./own-url.ts', import.meta.url).href);
});
