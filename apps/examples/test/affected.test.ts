import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const cwd = fileURLToPath(new URL('../../../', import.meta.url));

it.each([
  ['a source of another package', 'gpid/src/index.ts', 'cli/test/json.test.ts', 'objectid/test/bson.test.ts'],
  ['a script', 'segment-redis-db/src/lua/take.lua', 'segment-redis-db/test/scripts.test.ts', 'segment/test/'],
  ['a page', 'cli/README.md', 'cli/test/json.test.ts', 'cli/test/integration/'],
])('a change of %s runs the tests that read it, and no others', async (_, changed, broken, sound) => {
  const args = ['--import', 'tsx', 'scripts/affected.ts', '--list', `packages/${changed}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(stdout.split('\n')).toContain(`packages/${broken}`);
  expect(stdout).not.toContain(`packages/${sound}`);
});
