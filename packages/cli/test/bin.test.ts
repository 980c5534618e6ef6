import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const bin = fileURLToPath(new URL('../dist/bin.js', import.meta.url));

it('ends quietly when whoever reads has enough', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  try {
    const config = { generators: { order: { strategy: 'objectid' } } };
    await writeFile(join(cwd, 'ids.config.json'), JSON.stringify(config));
    // With pipefail, the code is that of the command that fails.
    const script = 'set -o pipefail; "$0" "$1" next order -n 100000 | head -n 1';
    const run = promisify(execFile)('bash', ['-c', script, process.execPath, bin], { cwd });
    const { stdout, stderr } = await run;
    expect(stdout).toMatch(/^[0-9a-f]{24}\n$/);
    expect(stderr).toBe('');
  } finally {
    await rm(cwd, { recursive: true });
  }
});
