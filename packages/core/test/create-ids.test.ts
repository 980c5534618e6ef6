import { describe, expect, expectTypeOf, it } from 'vitest';
import { createIds, type IdGenerator, isIdError } from '../src/index.js';
import { counterStrategy } from './support.js';

const ids = createIds([counterStrategy('counter'), counterStrategy('ticket')]);

/** A config as it comes from a file, which the compiler has not seen. */
function fromFile(config: object): Parameters<typeof ids.create>[0] {
  return config as Parameters<typeof ids.create>[0];
}

async function rejection(config: object): Promise<unknown> {
  return ids.create(fromFile(config)).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('createIds', () => {
  it('opens the strategy that is named, with its options', async () => {
    await using generator = await ids.create({ strategy: 'counter', startAt: 41 });
    expectTypeOf(generator).toEqualTypeOf<IdGenerator<number>>();
    expect(await generator.next()).toBe(41);
    expect(generator.strategy).toBe('counter');
  });

  it('fills in defaults', async () => {
    await using generator = await ids.create({ strategy: 'ticket' });
    expect(await generator.next()).toBe(1);
  });

  it('refuses an unknown strategy and lists the known ones', async () => {
    const error = await rejection({ strategy: 'nope' });
    expect(error).toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: 'unknown strategy "nope" (known: counter, ticket)',
    });
  });

  it('suggests the strategy that was probably meant', async () => {
    const error = await rejection({ strategy: 'tikcet' });
    expect(error).toMatchObject({
      message: 'unknown strategy "tikcet" (did you mean "ticket"? known: counter, ticket)',
    });
  });

  it('refuses a misspelt option with the nearest known name', async () => {
    const error = await rejection({ strategy: 'counter', startat: 5 });
    expect(isIdError(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: 'counter: unknown option "startat" (did you mean "startAt"? known: startAt)',
    });
  });

  it('reports everything that is wrong at once', async () => {
    const error = await rejection({ strategy: 'counter', startAt: 'five', colour: 'red' });
    expect((error as Error).message.split('\n')).toEqual([
      'counter: unknown option "colour" (known: startAt)',
      'counter: option "startAt": expected a whole number, got "five"',
    ]);
  });

  it('plans without opening anything, so that guarantees are known first', () => {
    const plan = ids.plan({ strategy: 'counter' });
    expect(plan.guarantees.unique).toBe('process');
    expect(() => ids.plan(fromFile({ strategy: 'nope' }))).toThrow('unknown strategy');
  });

  it('refuses two strategies of one name', () => {
    expect(() => createIds([counterStrategy('a'), counterStrategy('b'), counterStrategy('a')])).toThrow(
      new TypeError('strategy names must differ, got: a, b, a'),
    );
  });

  it('checks strategy names and options at compile time', () => {
    // @ts-expect-error there is no such strategy
    expect(() => ids.plan({ strategy: 'nope' })).toThrow();
    // @ts-expect-error an option of the wrong type
    expect(() => ids.plan({ strategy: 'counter', startAt: '1' })).toThrow();
  });
});
