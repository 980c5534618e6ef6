import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the program with a file of SQLite in docs/segments.md', () => {
  it('runs as it stands, and goes on after what it reserved', async () => {
    const text = await readFile(join(root, '../../docs/segments.md'), 'utf8');
    const [, program = ''] = /^## SQLite$.*?^```ts\n(.*?)^```$/ms.exec(text) ?? [];
    // Below this package, so that it finds what it imports.
    await mkdir(join(root, 'dist'), { recursive: true });
    const cwd = await mkdtemp(join(root, 'dist', 'sqlite-'));
    try {
      await writeFile(join(cwd, 'program.mjs'), program);
      const run = () => promisify(execFile)(process.execPath, ['program.mjs'], { cwd });
      expect((await run()).stdout).toBe('1 2\n');
      expect((await run()).stdout).toBe('1001 1002\n');
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
  });
});
