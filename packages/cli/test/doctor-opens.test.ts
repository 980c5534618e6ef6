import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openIds } from '@ids/config';
import { objectid } from '@ids/objectid';
import { objectid as ofBothLayouts } from '@ids/objectid/machine-pid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runIds } from './support/run-ids.js';

// Below this package, so that a module there finds what it imports.
const dist = fileURLToPath(new URL('../dist', import.meta.url));
let cwd: string;
beforeEach(async () => {
  await mkdir(dist, { recursive: true });
  cwd = await mkdtemp(join(dist, 'doctor-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const configure = (generators: object): Promise<void> =>
  writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ generators }));
const CLASSIC = { order: { strategy: 'objectid', layout: 'machine-pid' } };

describe('ids doctor', () => {
  it('refuses a layout that the service refuses, with the same error', async () => {
    await configure(CLASSIC);
    const service = openIds({ strategies: [objectid], cwd, environment: {} });
    const refusal = await service.catch(({ message }: Error) => message);
    expect(refusal).toMatch(/option "layout"/);
    const { code, stdout } = await runIds(cwd, ['doctor']);
    expect(code).toBe(3);
    expect(stdout).toContain(`wrong\tids.config.json\t${refusal}\n`);
    expect(stdout).toMatch(/^warning\tstrategies\t.*npx --no -- ids doctor --strategies/m);
    expect((await runIds(cwd, ['next', 'order'])).code).toBe(0);
  });

  it('opens what the service opens, when it is given the list of the service', async () => {
    await configure(CLASSIC);
    await using _service = await openIds({ strategies: [ofBothLayouts], cwd, environment: {} });
    const list =
      "import { objectid } from '@ids/objectid/machine-pid';\nexport const strategies = [objectid];\n";
    await writeFile(join(cwd, 'strategies.mjs'), list);
    const { code, stdout } = await runIds(cwd, ['doctor', '--strategies', 'strategies.mjs']);
    expect(code).toBe(0);
    expect(stdout).toContain('ok\tgenerator order\tobjectid opens, ok\n');
  });

  it('knows no more strategies than that list', async () => {
    await configure({ event: { strategy: 'gpid', port: 0 } });
    const list = "import { objectid } from '@ids/objectid';\nexport default objectid;\n";
    await writeFile(join(cwd, 'strategies.mjs'), list);
    const { code, stdout } = await runIds(cwd, ['doctor', '--strategies', 'strategies.mjs']);
    expect(code).toBe(3);
    expect(stdout).toContain('generators.event: unknown strategy "gpid" (known: objectid)');
  });

  it('opens all generators at the same time, as a service does', async () => {
    await configure({ a: { strategy: 'alone' }, b: { strategy: 'alone' } });
    const strategy = `import { objectid } from '@ids/objectid';
let open = false;
export const alone = {
  ...objectid,
  name: 'alone',
  create: async (options) => {
    if (open) throw new Error('there can be one of these in a process');
    open = true;
    const generator = await objectid.create(options);
    return { ...generator, health: () => ({ status: 'ok' }), close: async () => { open = false; } };
  },
};`;
    await writeFile(join(cwd, 'alone.mjs'), strategy);
    const { code, stdout } = await runIds(cwd, ['doctor', '--strategies', 'alone.mjs']);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'ok\tgenerator a\talone opens, ok\nwrong\tgenerator b\tthere can be one of these',
    );
  });

  it.each([
    ['none.mjs', /^ids: --strategies: "none\.mjs" cannot be loaded: .*none\.mjs/],
    ['empty.mjs', /^ids: --strategies: "empty\.mjs" exports no strategy; it must export a list/],
  ])('says what is wrong with the module %s', async (file, message) => {
    await configure(CLASSIC);
    await writeFile(join(cwd, 'empty.mjs'), 'export const strategies = [{ name: "x" }];');
    const { code, stderr } = await runIds(cwd, ['doctor', '--strategies', file]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
