import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gpid } from '@ids/gpid';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { describe, expect, it } from 'vitest';
import { askDatabase, askStrategy, type Terminal } from '../src/terminal/questions.js';

const STRATEGIES = [gpid, segmentRedisDb];

/** The answer to what was typed, and what was shown. */
async function asked(
  typed: string,
  ask = (terminal: Terminal): Promise<string> => askStrategy(STRATEGIES, terminal),
) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const shown = text(output);
  input.end(typed);
  const answer = await ask({ input, output }).finally(() => output.end());
  return { answer, shown: await shown };
}

describe('the question for a strategy', () => {
  it('lists them with the servers that they need', async () => {
    const { shown } = await asked('1\n');
    expect(shown).toContain('1  gpid              needs nothing\n');
    expect(shown).toContain('2  segment-redis-db  needs Redis, and Postgres or MySQL\n');
    expect(shown).toContain('(1 to 2, or its name)');
  });

  it.each([
    ['1', 'gpid'],
    [' 2 ', 'segment-redis-db'],
    ['gpid', 'gpid'],
    ['3', '3'],
    ['0', '0'],
    ['', ''],
  ])('takes "%s" for "%s"', async (typed, answer) => {
    expect((await asked(`${typed}\n`)).answer).toBe(answer);
  });

  it('is given up when the input ends', async () => {
    await expect(asked('')).rejects.toThrow('no strategy was chosen; nothing was written');
  });
});

describe('the question for a database', () => {
  it('says how far each reaches', async () => {
    const { shown } = await asked('1\n', askDatabase);
    expect(shown).toContain('1  sqlite    a file, for the processes of one machine; needs no server\n');
    expect(shown).toContain('(1 to 3, or its name, Enter for sqlite)');
  });

  it.each([
    ['', 'sqlite'],
    ['2', 'postgres'],
    ['mysql', 'mysql'],
  ])('takes "%s" for "%s"', async (typed, answer) => {
    expect((await asked(`${typed}\n`, askDatabase)).answer).toBe(answer);
  });
});
