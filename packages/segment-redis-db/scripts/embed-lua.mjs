// Embeds src/lua/*.lua into a module, each behind reign.lua, so that the package works when bundled.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';

const folder = new URL('../src/lua/', import.meta.url);
const read = (file) => readFile(new URL(file, folder), 'utf8');
const reign = await read('reign.lua');
const files = (await readdir(folder)).filter((file) => file !== 'reign.lua').sort();
const scripts = await Promise.all(
  files.map(async (file) => {
    const text = `${reign}\n${await read(file)}`;
    const sha1 = createHash('sha1').update(text).digest('hex');
    const name = file.replace('.lua', '');
    return `export const ${name}: Script = { name: '${name}', sha1: '${sha1}', text: ${JSON.stringify(text)} };`;
  }),
);
const module = [
  '// Made from src/lua by scripts/embed-lua.mjs.',
  "import type { Script } from './scripts.js';",
  '',
  ...scripts,
  '',
];
await writeFile(new URL('../src/scripts.generated.ts', import.meta.url), module.join('\n'));
