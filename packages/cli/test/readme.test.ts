import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the command in the README', () => {
  it('runs as it stands', async () => {
    const text = await readFile(join(root, 'README.md'), 'utf8');
    const [, program = ''] = /^```js\n(.*?)^```$/ms.exec(text) ?? [];
    // Below this package, so that it finds what it imports.
    await mkdir(join(root, 'dist'), { recursive: true });
    const cwd = await mkdtemp(join(root, 'dist', 'readme-'));
    try {
      await writeFile(join(cwd, 'own.mjs'), program);
      const run = (...argv: string[]) => promisify(execFile)(process.execPath, ['own.mjs', ...argv], { cwd });
      await run('init', '--strategy', 'objectid');
      expect((await run('next', 'order')).stdout).toMatch(/^[0-9a-f]{24}\n$/);
      await expect(run('init', '--strategy', 'gpid')).rejects.toMatchObject({ code: 2 });
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
  });
});
