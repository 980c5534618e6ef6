// Embeds src/lua into modules, each script behind reign.lua, so that the package works when bundled.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';

const source = new URL('../src/', import.meta.url);
const read = (file) => readFile(new URL(`lua/${file}`, source), 'utf8');

/** Writes the module of the scripts in `folder`, all of which begin with `preludes`. */
async function embed(folder, preludes, module, types) {
  const shared = await Promise.all(preludes.map(read));
  const entries = await readdir(new URL(`lua/${folder}`, source), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !preludes.includes(folder + entry.name));
  const names = files.map(({ name }) => name).sort();
  const scripts = await Promise.all(
    names.map(async (file) => {
      const text = [...shared, await read(folder + file)].join('\n');
      const sha1 = createHash('sha1').update(text).digest('hex');
      const name = file.replace('.lua', '');
      return `export const ${name}: Script = { name: '${name}', sha1: '${sha1}', text: ${JSON.stringify(text)} };`;
    }),
  );
  const from = `// Made from src/lua/${folder} by scripts/embed-lua.mjs.`;
  const lines = [from, `import type { Script } from '${types}';`, '', ...scripts, ''];
  await writeFile(new URL(module, source), lines.join('\n'));
}

await embed('', ['reign.lua'], 'scripts.generated.ts', './scripts.js');
await embed('keyed/', ['reign.lua', 'keyed/family.lua'], 'keyed/scripts.generated.ts', '../scripts.js');
