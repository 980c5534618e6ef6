import { describe, expect, it } from 'vitest';
import { pastCollisions } from '../src/index.js';

const collision = new Error('could not serialize access due to concurrent update');
const isCollision = (error: unknown): boolean => error === collision;

/** A statement that collides so many times, and counts how often it was run. */
function collidesFor(times: number, then: () => string = () => 'row') {
  const statement = {
    runs: 0,
    run: async (): Promise<string> => {
      if (statement.runs++ < times) throw collision;
      return then();
    },
  };
  return statement;
}

describe('pastCollisions', () => {
  it('runs a statement again until it goes through, 20 times at most', async () => {
    const statement = collidesFor(19);
    expect(await pastCollisions(statement.run, isCollision, undefined)).toBe('row');
    expect(statement.runs).toBe(20);
    const unlucky = collidesFor(20);
    await expect(pastCollisions(unlucky.run, isCollision, undefined)).rejects.toBe(collision);
    expect(unlucky.runs).toBe(20);
  });

  it('rejects at once with any other error', async () => {
    const gone = new Error('connection terminated');
    const statement = collidesFor(1, () => {
      throw gone;
    });
    await expect(pastCollisions(statement.run, isCollision, undefined)).rejects.toBe(gone);
    expect(statement.runs).toBe(2);
  });

  it('ends with the reason of its signal, in a statement and in a pause', async () => {
    const reason = new Error('closed');
    const aborted = collidesFor(Number.POSITIVE_INFINITY);
    await expect(pastCollisions(aborted.run, isCollision, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(aborted.runs).toBe(1);
    const controller = new AbortController();
    const endless = collidesFor(Number.POSITIVE_INFINITY);
    const call = pastCollisions(endless.run, isCollision, controller.signal);
    setTimeout(() => controller.abort(reason), 20);
    await expect(call).rejects.toBe(reason);
    expect(endless.runs).toBeLessThan(20);
  });
});
