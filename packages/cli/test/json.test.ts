import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runIds } from './support/run-ids.js';

/** The shapes in the table of the README, by command. */
async function documented(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## JSON for scripts$(.*?)^## /ms.exec(text) ?? [];
  return new Map(
    [...section.matchAll(/^\| `([^`]+)`\s+\| `([^`]+)`/gm)].map(([, command = '', shape = '']) => [
      command,
      shape,
    ]),
  );
}

/** What is wrong with a value beside `shape`, a line each: keys that are missing, and unknown ones. */
function differences(value: unknown, shape: string, path = '$'): string[] {
  const text = shape.trim();
  if (text.startsWith('[')) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    const inner = text.slice(1, -1).trim();
    return value.flatMap((one, index) =>
      inner.startsWith('{') ? differences(one, inner, `${path}.${index}`) : [],
    );
  }
  const members = membersOf(text.slice(1, -1));
  const given = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).filter((key) => !members.some(({ name }) => name === key));
  return [
    ...unknown.map((key) => `${path}.${key} is not documented`),
    ...members.flatMap(({ name, optional, shape: inner }) => {
      if (!Object.hasOwn(given, name)) return optional ? [] : [`${path}.${name} is missing`];
      return inner === undefined ? [] : differences(given[name], inner, `${path}.${name}`);
    }),
  ];
}

interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly shape: string | undefined;
}

/** Of `a, b?, c: [{ d }]`. */
function membersOf(text: string): Member[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const character of text) {
    depth += '[{'.includes(character) ? 1 : ']}'.includes(character) ? -1 : 0;
    if (character === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop()}${character}`);
  }
  return parts.map((part) => {
    const [, name = '', mark = '', shape] = /^(\w+)(\?)?(?::(.*))?$/s.exec(part.trim()) ?? [];
    return { name, optional: mark !== '', shape };
  });
}

it('every command prints the JSON that the README says, and nothing else', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const shapes = await documented();
  const wrong: string[] = [];
  const tried = new Set<string>();
  const run = async (row: string, ...argv: string[]): Promise<string> => {
    tried.add(row);
    const { stdout, stderr } = await runIds(cwd, [...argv, '--json']);
    expect(stdout, `${argv.join(' ')}: ${stderr}`).toMatch(/^.+\n$/);
    wrong.push(...differences(JSON.parse(stdout), shapes.get(row) ?? '{}', row));
    return stderr;
  };
  // In a folder of its own: a process reads a config once.
  const first = join(cwd, 'first');
  await mkdir(first);
  await run('init', 'init', '--strategy', 'segment-inproc', '--cwd', first);
  const order = { strategy: 'segment-inproc' };
  const generators = {
    order,
    message: { ...order, keyed: true, order: 'real-time' },
    event: { strategy: 'uuid7' },
  };
  const config = { database: 'sqlite:ids.db', generators };
  await writeFile(join(cwd, 'ids.config.json'), JSON.stringify(config));
  await run('apply --dry-run', 'apply', '--dry-run');
  // What exists is known even if a later step fails.
  expect(await run('apply', 'apply')).toMatch(/^ids: created table id_segment$/m);
  await run('next', 'next', 'order', '-n', '2');
  await run('inspect', 'inspect', '019b76da-a800-7abc-9d78-9abcfedcba98');
  await run('doctor', 'doctor');
  await run('swap', 'swap', '--from', 'order', '--to', 'event');
  await run('completion', 'completion', 'fish');
  await run('skill', 'skill');
  await run('explain', 'explain', 'ERR_IDS_TIMEOUT');
  await run('swap --check', 'swap', '--from', 'order', '--to', 'order', '--check', '5000000');
  expect(await run('floor', 'floor', 'order', '5000000')).toMatch(
    /^ids: processes and Redis still issue IDs/m,
  );
  await run('floor --key', 'floor', 'message', '70', '--key', 'a');
  expect(wrong).toEqual([]);
  // These need a server: their shapes are tested where they are run.
  expect([...shapes.keys()].filter((command) => !tried.has(command))).toEqual([
    'migrate',
    'gaps',
    'floor <series>',
  ]);
});
