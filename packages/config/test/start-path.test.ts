import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const dist = new URL('../dist/', import.meta.url);

/** The modules of this package that a fresh process loads for `program`, relative to `dist`. */
function loadedBy(program: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'config-start-path-'));
  try {
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: fileURLToPath(dist),
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    });
    const [file = ''] = readdirSync(folder);
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const urls: string[] = result.map(({ url }: { readonly url: string }) => url);
    return urls.filter((url) => url.startsWith(dist.href)).map((url) => url.slice(dist.href.length));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('a service that opens its ids loads nothing of swaps', () => {
  const opening = `
    import { memoryGenerator } from '@ids/core/strategy';
    import { openIds } from '@ids/config';
    const guarantees = { order: {}, text: {}, backends: [], discloses: [] };
    const parts = { guarantees, issue: () => 'an id' };
    const strategy = {
      name: 'local',
      options: { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: {} }) } },
      optionNames: [],
      guarantees: () => guarantees,
      create: async () => memoryGenerator({ strategy: 'local', ...parts }),
    };
    const ids = await openIds({
      strategies: [strategy],
      config: { generators: { order: { strategy: 'local' } } },
    });
    if (ids.get('order').nextSync() !== 'an id') throw new Error('it is not open');
    await ids.close();
  `;
  const loaded = loadedBy(opening);
  expect(loaded).toContain('open-ids.js');
  expect(loaded.filter((module) => module.startsWith('swap/'))).toEqual([]);
  expect(loadedBy("import '@ids/config/swap';")).toContain('swap/plan.js');
});
