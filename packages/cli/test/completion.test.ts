import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { family } from '../src/built-in.js';
import { SHELLS } from '../src/completion/scripts.js';
import { runIds } from './support/run-ids.js';

const bin = fileURLToPath(new URL('../dist/bin.js', import.meta.url));
const missing = existsSync('/bin/bash') ? '' : ' (skipped: no /bin/bash)';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  const generators = { order: { strategy: 'uuid7' }, uuid7: { strategy: 'objectid' }, 'two words': {} };
  await writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ generators, series: { invoice: {} } }));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

/** The words that fit as the last one. */
async function fitting(...words: string[]): Promise<string[]> {
  const { stdout, stderr, code } = await runIds(cwd, ['completion', 'bash', '--', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

const NAMES = ['order', 'uuid7', 'two words'];
/** Those whose name no generator has. */
const STRATEGIES = family.map(({ name }) => name).filter((name) => !NAMES.includes(name));

describe('the words that fit', () => {
  it.each([
    [['ne'], ['next']],
    [
      ['next', ''],
      [...NAMES, 'objectid', 'gpid'],
    ],
    [['next', 'or'], ['order']],
    [['next', 'order', ''], []],
    [['next', '-n', ''], []],
    [['next', '-n', '5', 'or'], ['order']],
    [
      ['next', '--as', ''],
      ['decimal', 'hex', 'base62', 'crockford'],
    ],
    [['next', '--', '--co'], []],
    [['next', '--co'], ['--count']],
    [['--js'], ['--json']],
    [
      ['--json', 'swap', '--to', 'o'],
      ['order', 'objectid'],
    ],
    [
      ['swap', '--from', ''],
      [...NAMES, ...STRATEGIES],
    ],
    // As bash splits --from=or.
    [['swap', '--from', '=', 'or'], ['order']],
    [
      ['swap', '--from', '='],
      [...NAMES, ...STRATEGIES],
    ],
    [
      ['floor', ''],
      [...NAMES, 'invoice'],
    ],
    [['gaps', ''], ['invoice']],
    [['explain', 'ERR_IDS_TI'], ['ERR_IDS_TIMEOUT']],
    [
      ['init', '--database', ''],
      ['sqlite', 'postgres', 'mysql'],
    ],
    [['completion', ''], [...SHELLS]],
    [['help', 'swa'], ['swap']],
    [['nxt', ''], []],
    [
      ['--cwd', '/nowhere', 'next', ''],
      ['objectid', 'uuid7', 'gpid'],
    ],
  ])('after %j are %j', async (words, expected) => {
    expect(await fitting(...words)).toEqual(expected);
  });

  it('are all commands first, and all options of a command after a dash', async () => {
    const { stdout: help } = await runIds(cwd, ['--help']);
    const [, section = ''] = help.split('\nCommands:\n');
    const commands = [...section.matchAll(/^ {2}(\w+)/gm)].map(([, command]) => command);
    expect(commands).toContain('help');
    expect(await fitting('')).toEqual(commands);
    const { stdout } = await runIds(cwd, ['swap', '--help']);
    const listed = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option]) => option);
    expect((await fitting('swap', '-')).sort()).toEqual(listed.sort());
  });

  it('come with notes for zsh and fish', async () => {
    const asked = (shell: string) => runIds(cwd, ['completion', shell, '--', 'next', 'u']);
    expect((await asked('zsh')).stdout).toBe('uuid7:generator\n');
    expect((await asked('fish')).stdout).toBe('uuid7\tgenerator\n');
    const json = await runIds(cwd, ['completion', 'zsh', '--json', '--', 'next', 'u']);
    expect(JSON.parse(json.stdout)).toEqual([{ word: 'uuid7', note: 'generator' }]);
  });

  it('are asked for by the script of each shell', async () => {
    for (const shell of SHELLS)
      expect((await runIds(cwd, ['completion', shell])).stdout).toContain(`ids completion ${shell} -- `);
  });
});

describe.skipIf(missing)(`the script for bash${missing}`, () => {
  it('completes what is typed, and quotes it', async () => {
    const script = `
      node=$0 bin=$1
      ids() { "$node" "$bin" "$@"; }
      source /dev/stdin <<< "$(ids completion bash)"
      complete -p ids
      COMP_WORDS=(ids next o more) COMP_CWORD=2
      _ids_completion
      printf '<%s>' "\${COMPREPLY[@]}"
      COMP_WORDS=(ids floor t) COMP_CWORD=2
      _ids_completion
      printf '<%s>' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('/bin/bash', ['-c', script, process.execPath, bin], { cwd });
    expect(stdout).toBe('complete -o default -F _ids_completion ids\n<order><objectid><two\\ words>');
  });
});
