// Bundles the code that runs in the report's page into a module, so that the page needs no other file.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const report = new URL('../src/report/', import.meta.url);
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('browser/rank-again.ts', report))],
  bundle: true,
  charset: 'utf8',
  format: 'iife',
  target: 'es2022',
  write: false,
});
const script = JSON.stringify(outputFiles[0].text.replaceAll('</script', '<\\/script'));
const module = `// Made from browser/rank-again.ts by scripts/embed-browser.mjs.\nexport const rankAgainScript = ${script};\n`;
await writeFile(new URL('browser.generated.ts', report), module);
