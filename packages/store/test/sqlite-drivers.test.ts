import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isBusy, isReadOnly } from '../src/sqlite/errors.js';

const packages = fileURLToPath(new URL('../..', import.meta.url));
const hasBuiltin = Number(process.versions.node.split('.', 1)[0]) >= 22;

const PROGRAM = `import { fromSqliteUrl } from '@ids/store/sqlite/file';
const executor = fromSqliteUrl('sqlite:ids.db');
const failed = ({ code, message }) => ({ code, message });
console.log(JSON.stringify(await executor.execute('SELECT 1 AS one', []).catch(failed)));`;

/** What a program gets in a project without drivers, or with one package that is not what it should be. */
async function runWith(name?: string, source = ''): Promise<unknown> {
  const project = mkdtempSync(join(tmpdir(), 'ids-drivers-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const modules = join(project, 'node_modules');
  for (const one of ['core', 'store']) {
    for (const part of ['dist', 'package.json']) {
      cpSync(join(packages, one, part), join(modules, '@ids', one, part), { recursive: true });
    }
  }
  if (name !== undefined) {
    mkdirSync(join(modules, name));
    writeFileSync(join(modules, name, 'package.json'), JSON.stringify({ name }));
    writeFileSync(join(modules, name, 'index.js'), source);
  }
  writeFileSync(join(project, 'program.mjs'), PROGRAM);
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: project });
  return JSON.parse(stdout);
}

describe('a sqlite: URL', () => {
  it('names the drivers where there is none, and Node.js has none', async () => {
    expect(await runWith()).toMatchObject(
      hasBuiltin
        ? { rows: [{ one: 1 }] }
        : {
            code: 'ERR_IDS_CONFIG',
            message: expect.stringMatching(/better-sqlite3.*libsql.*Node\.js 22\.13/),
          },
    );
  });

  it.each([
    // Its build script did not run, as with pnpm, which asks first.
    [
      'better-sqlite3',
      `module.exports = function () { throw new Error('Could not locate the bindings file. Tried:\\n …'); };`,
    ],
    ['libsql', `require('@libsql/linux-of-another-machine');`],
  ])('says how to mend %s, which is installed and cannot be loaded', async (name, source) => {
    expect(await runWith(name, source)).toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(new RegExp(`${name}.*npm rebuild ${name}`)),
    });
  });
});

it('knows what failed where libsql has only a number for it', () => {
  const errorOf = (rawCode: number) => ({ code: `UNKNOWN_SQLITE_ERROR_${rawCode}`, rawCode });
  expect([isReadOnly(errorOf(1544)), isBusy(errorOf(773))]).toEqual([true, true]);
});
