import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = `
  import { fromPg, fromPgUrl } from './src/sql/index.js';
  fromPg({ connect() {}, totalCount: 0, idleCount: 0 });
  await fromPgUrl('postgres://localhost/app').catch(({ code, message }) => console.log(code, message));
`;

it('needs the package pg for a database URL only, and names what else may be passed', async () => {
  const preload = ['--import', 'tsx', '--import', './test/without-pg.mjs'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...preload, '--input-type=module', '--eval', script],
    { cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  expect(stdout).toMatch(
    /^ERR_IDS_CONFIG .*"pg".*install it or pass a client of postgres,.* @neon.* Bun\.sql$/m,
  );
});
