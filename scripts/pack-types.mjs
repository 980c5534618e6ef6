// Compiles an import of every entry of the installed packages, declarations and all, as users' compilers do:
// with a tsconfig that names no `types`, so that the newest compilers do not see those of Node.js.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The oldest supported TypeScript, and the newest ones: of version 7, which is another program than 6. */
export const COMPILERS = {
  'typescript-oldest': 'npm:typescript@5.4.5',
  'typescript-6': 'npm:typescript@6.0.3',
  'typescript-7': 'npm:typescript@7.0.2',
};

const NODE16 = { module: 'node16', target: 'es2022' };
const NODENEXT = { module: 'nodenext', target: 'es2022' };
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler', target: 'es2022' };

/** The declarations of Drizzle name drivers that nobody has all of: whoever uses it sets `skipLibCheck`. */
const OF_DRIZZLE = { skipLibCheck: true, only: /^@ids\/drizzle\// };
const OTHERS = /^(?!@ids\/drizzle\/)/;

/**
 * The compilers of version 5 and 6 take six times as long, so fewer settings go through them. `common`: also
 * a CommonJS module with static imports, what the README says it needs, in the same program.
 */
const COMPILATIONS = [
  { compiler: 'typescript-oldest', settings: NODE16 },
  { compiler: 'typescript-oldest', settings: BUNDLER },
  { compiler: 'typescript-oldest', settings: NODE16, ...OF_DRIZZLE },
  { compiler: 'typescript-6', settings: NODENEXT, common: true },
  { compiler: 'typescript-7', settings: NODENEXT, common: true },
  { compiler: 'typescript-7', settings: { module: 'nodenext' } },
  { compiler: 'typescript-7', settings: { ...NODENEXT, types: ['node'] } },
  { compiler: 'typescript-7', settings: NODE16 },
  { compiler: 'typescript-7', settings: BUNDLER },
];

/** Packages whose declarations need those of no library; valibot names `Blob`. */
const ALONE = /^@ids\/(core|objectid|uuid7)\b/;

/** What needs no other compiler than that of this workspace; one without types of the DOM and of Node.js. */
export const OF_WORKSPACE = [
  { compiler: 'typescript', settings: NODENEXT, common: true },
  { compiler: 'typescript', settings: NODENEXT, ...OF_DRIZZLE },
  { compiler: 'typescript', settings: { ...NODENEXT, lib: ['es2022'], types: [] }, only: ALONE },
];

/**
 * Throws when a declaration does not compile, with `skipLibCheck` off but for Drizzle. Returns how many
 * compilations passed.
 */
export async function checkTypes(project, entries, compilations = COMPILATIONS) {
  const folder = join(project, 'types');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const waiting = compilations.entries();
  // Two at a time: each of them takes a core, and half a gigabyte.
  const worker = async () => {
    for (const [index, compilation] of waiting) await compile(folder, index, entries, compilation);
  };
  await Promise.all([worker(), worker()]);
  return compilations.length;
}

async function compile(folder, index, entries, compilation) {
  const { compiler, settings, common = false, skipLibCheck = false, only = OTHERS } = compilation;
  const compilerOptions = { ...settings, strict: true, noEmit: true, skipLibCheck };
  const files = [`entries${index}.ts`, ...(common ? [`common${index}.cts`] : [])];
  const compiled = entries.filter((entry) => only.test(entry));
  const lines = compiled.map((entry, place) => `export * as entry${place} from '${entry}';`).join('\n');
  for (const file of files) writeFileSync(join(folder, file), lines);
  const config = join(folder, `tsconfig.${index}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const tsc = join(folder, '../node_modules', compiler, 'bin', 'tsc');
  const what = `${compiler}, ${JSON.stringify(settings)}, ${files.join(' and ')}`;
  try {
    await promisify(execFile)('node', [tsc, '--project', config], { encoding: 'utf8' });
  } catch ({ stdout, stderr }) {
    throw new Error(`the declarations do not compile: ${what}\n${stdout}${stderr}`);
  }
  console.log(`types: ${what}`);
}
