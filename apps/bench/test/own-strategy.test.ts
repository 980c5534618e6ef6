import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

/**
 * Runs `program` with `loadOwnCase` as built, in Node.js itself: a worker imports that module with the path
 * of the strategy in its URL, which the test runner's own loader does not keep. Returns what it prints.
 */
async function run(program: string): Promise<unknown> {
  const built = new URL('../dist/cases/own.js', import.meta.url).href;
  const text = `const { loadOwnCase } = await import('${built}');\n${program}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', text]);
  return JSON.parse(stdout);
}

it('makes a case of a strategy: its guarantees, its options by process, its controls', async () => {
  const path = fileURLToPath(new URL('./planted/own.mjs', import.meta.url));
  const found = await run(`
    const own = await loadOwnCase(${JSON.stringify(path)});
    const { cases } = await import(own.casesUrl);
    const subject = await own.open({ runId: 'test', processIndex: 3 });
    const { kind, name, backends, comparedWith } = own;
    const start = Math.floor(subject.nextSync() / 2 ** 40);
    const names = cases.map((one) => one.name);
    console.log(JSON.stringify({ kind, name, backends, comparedWith, names, start }));
  `);
  expect(found).toEqual({
    kind: 'strategy',
    name: 'own-counter',
    backends: [],
    comparedWith: ['nanoid'],
    names: ['own-counter'],
    start: 3,
  });
});

it('takes the only strategy of a module whatever its name, and its stages', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'own-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const own = fileURLToPath(new URL('./planted/own.mjs', import.meta.url));
  const path = join(dir, 'mine.mjs');
  await writeFile(
    path,
    `export { strategy as made } from ${JSON.stringify(own)};
     const seen = [];
     export const options = ({ processIndex }) => ({ start: processIndex });
     export const prepare = async ({ runId }) => void seen.push('prepare ' + runId);
     export const cleanUp = async ({ runId }) => void seen.push('clean up ' + runId);
     export const names = seen;`,
  );
  const found = await run(`
    const own = await loadOwnCase(${JSON.stringify(path)});
    await own.prepare({ runId: 'test', processIndex: 0 });
    await own.cleanUp({ runId: 'test', processIndex: 0 });
    const { names } = await import(new URL(own.casesUrl).searchParams.get('strategy'));
    const subject = await own.open({ runId: 'test', processIndex: 2 });
    console.log(JSON.stringify([own.name, names, Math.floor(subject.nextSync() / 2 ** 40)]));
  `);
  expect(found).toEqual(['own-counter', ['prepare test', 'clean up test'], 2]);
});

it('takes TypeScript where Node.js strips its types, and otherwise says what to do', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'own-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const own = fileURLToPath(new URL('./planted/own.mjs', import.meta.url));
  const path = join(dir, 'mine.mts');
  await writeFile(path, `export * from ${JSON.stringify(own)}; export const rest: number = 1;`);
  const found = await run(`
    const found = await loadOwnCase(${JSON.stringify(path)}).catch((error) => error);
    console.log(JSON.stringify([found.name, found.message ?? process.features.typescript]));
  `);
  expect([
    ['own-counter', 'strip'],
    [
      'UsageError',
      expect.stringMatching(/mine.mts: Node.js .* does not strip types: compile it to JavaScript/),
    ],
  ]).toContainEqual(found);
});

it('says which file cannot be used, and why', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'own-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const texts = [
    'export const stratgy = {};',
    'export const strategy = { name: "s", create() {} }; export const options = {};',
    'export const strategy =',
    'export const strategy = { name: "s", create() {} }; export const comparedWith = ["no-such-control"];',
    'export const one = { name: "one", create() {} }; export const two = { name: "two", create() {} };',
    'export const strategy = { name: "s", create() {} }; export const prepare = true;',
  ];
  const paths = texts.map((_, i) => join(dir, `${i}.mjs`));
  for (const [i, text] of texts.entries()) await writeFile(paths[i] ?? '', text);
  const found = await run(`
    const paths = ${JSON.stringify([...paths, './no-such-file.mjs'])};
    const reasons = await Promise.all(paths.map((path) => loadOwnCase(path).catch((error) => error)));
    console.log(JSON.stringify(reasons.map(({ name, message }) => [name, message])));
  `);
  const why = (path: string, reason: string) => [
    'UsageError',
    expect.stringMatching(`^--strategy .*${path}: ${reason}`),
  ];
  expect(found).toEqual([
    why('0.mjs', 'must export "strategy", an IdStrategy'),
    why('1.mjs', '"options" must be a function of the environment'),
    why('2.mjs', 'Unexpected end of input'),
    why('3.mjs', '"comparedWith" must be a list of these: .*nanoid'),
    why('4.mjs', 'exports several strategies, one and two: export the one to measure as "strategy"'),
    why('5.mjs', '"prepare" must be a function of the environment'),
    why('no-such-file.mjs', 'Cannot find module'),
  ]);
});
