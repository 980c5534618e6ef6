import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

it('what a page loads stays within the limits of package.json, with all dependencies', async () => {
  const size = fileURLToPath(new URL('../node_modules/.bin/size-limit', import.meta.url));
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { stdout } = await promisify(execFile)(size, ['--json'], { cwd }).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  const checks = JSON.parse(stdout) as { name: string; passed: boolean; size: number }[];
  expect(checks).toHaveLength(manifest['size-limit'].length);
  for (const { name, passed, size } of checks) expect({ name, size, passed }).toMatchObject({ passed: true });
});
