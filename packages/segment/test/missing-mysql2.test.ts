import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = `
  import { fromMysql, fromMysqlUrl, openSqlSource } from './src/sql/index.js';
  fromMysql({ getConnection() {}, end() {}, promise() {} });
  for (const open of [fromMysqlUrl, (database) => openSqlSource({ database })])
    await open('mariadb://localhost/app').catch(({ code, message }) => console.log(code, message));
`;

it('needs the package mysql2 for a mysql:// URL only, and says so', async () => {
  const preload = ['--import', 'tsx', '--import', './test/without-pg.mjs'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...preload, '--input-type=module', '--eval', script],
    { cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  expect(stdout).toMatch(/^(ERR_IDS_CONFIG .*"mysql2".*install it or pass a pool\n){2}$/);
});
