import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runIds } from './support/run-ids.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

/** The lines that a terminal of this width shows. */
async function shown(argv: readonly string[], columns?: number): Promise<string[]> {
  const chunks: string[] = [];
  const stdout = { isTTY: true, columns, write: (text: string) => chunks.push(text) };
  const environment = { IDS_DATABASE_URL: `postgres://ids@127.0.0.1:1/${'d'.repeat(90)}` };
  await runIds(cwd, argv, { stdout, environment });
  return stripVTControlCharacters(chunks.join('')).trimEnd().split('\n');
}

const COMMANDS: readonly (readonly string[])[] = [
  ['doctor'],
  ['swap', '--from', 'event', '--to', 'log'],
  ['inspect', '5a17b9d9ab102555b9c38874'],
];

describe('a table on a terminal', () => {
  beforeEach(async () => {
    const log = { strategy: 'gpid', port: 0, require: { unique: 'cluster' } };
    const generators = { event: { strategy: 'objectid' }, log, order: { strategy: 'segment-inproc' } };
    await writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ generators }));
  });

  it.each(COMMANDS.map((argv) => ({ argv })))('fits 60 columns: ids $argv', async ({ argv }) => {
    const lines = await shown(argv, 60);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(new Set(lines.map((line) => line[0]))).toEqual(new Set(['┌', '│', '├', '└']));
  });

  it.each([100, 40, undefined])('fits %s columns', async (columns) => {
    const lines = await shown(['doctor'], columns);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns ?? 80);
  });

  it('leaves nothing out', async () => {
    const text = (await shown(['swap', '--from', 'event', '--to', 'log'], 60))
      .map((line) => line.replace(/^│[^│]*│[^│]*│/, ''))
      .join('')
      .replaceAll(/[\s│]/g, '');
    expect(text).toContain('from:/^[0-9a-f]{24}$/to:/^(?:\\d{1,3}(?:\\.\\d{1,3}){3}|');
    expect(text).toContain('giveco');
    expect(text).toContain('weakerthanbefore:checkforcodethatreliesonit');
  });

  it('is as wide as its cells where there is room', async () => {
    const lines = await shown(['swap', '--from', 'event', '--to', 'log'], 1_000);
    expect(
      lines.some((line) => /│ width\s+│ 24 characters\s+│ 139 characters\s+│ give columns/.test(line)),
    ).toBe(true);
  });
});
