import { createIds } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { http } from '../src/index.js';

const ids = createIds([http]);
const plan = (options: object) =>
  ids.plan({ strategy: 'http', url: 'http://ids', name: 'order', ...options } as never);

describe('options', () => {
  it.each([
    [
      { url: 'ids.example.com' },
      'option "url": must be an http: or https: URL without user, query and fragment',
    ],
    [{ url: 'ftp://ids' }, 'option "url": must be an http: or https: URL'],
    [{ url: 'http://ids?token=a' }, 'option "url": must be an http: or https: URL'],
    [{ name: '' }, 'option "name": must be the name of a generator on the server, got ""'],
    [{ mode: 'ranges' }, 'option "mode": must be "ids" or "segments", got "ranges"'],
    [{ minStep: 5 }, 'option "minStep": belongs to "mode": "segments"'],
    [{ mode: 'segments', order: 'none' }, 'option "order": belongs to "mode": "ids"'],
    [{ mode: 'segments', minStep: 9, maxStep: 8 }, 'option "minStep": must be at most "maxStep"'],
    [{ text: 'uuid' }, 'option "text": "uuid" needs "as": "string", got "number"'],
    [
      { as: 'string', text: 'any', order: 'real-time' },
      'option "order": "real-time" needs "text": "decimal"',
    ],
    [{ keyed: 'yes' }, 'option "keyed": must be true or false'],
    [{ keyed: true, mode: 'segments' }, 'option "keyed": needs "mode": "ids", got "segments"'],
    [{ keyed: true, order: 'none' }, 'option "keyed": needs "order": "real-time", got "none"'],
    [{ keyed: true, as: 'string', text: 'uuid' }, 'option "keyed": needs "text": "decimal", got "uuid"'],
    [
      { discloses: ['name'] },
      'option "discloses.0": must be "time", "volume", "host", "address" or "process"',
    ],
    [{ deadlineMs: 0 }, 'option "deadlineMs": must be a whole number from 1 to'],
    [{ tokens: 'a' }, 'unknown option "tokens" (did you mean "token"?'],
  ])('%j is refused: %s', (options, message) => {
    expect(() => plan(options)).toThrow(message);
  });

  it.each([{ url: 'http://me:hunter2@ids' }, { token: 'hunter2 secret' }])(
    '%j is refused, and not shown',
    (wrong) => {
      expect(() => plan(wrong)).toThrow(/option "(url|token)": must be/);
      expect(() => plan(wrong)).not.toThrow(/hunter2/);
    },
  );

  it('say what a generator claims, by default the weakest', () => {
    expect(plan({}).guarantees).toMatchObject({
      unique: 'cluster',
      order: { process: 'none', cluster: 'none' },
      gaps: 'on-restart',
      sync: false,
      idType: 'number',
      discloses: ['time', 'volume', 'host', 'address', 'process'],
    });
    expect(plan({ order: 'real-time', gaps: 'on-fault' }).guarantees).toMatchObject({
      order: { process: 'increasing', cluster: 'real-time' },
      gaps: 'on-fault',
    });
    expect(plan({ keyed: true }).guarantees).toMatchObject({
      within: 'key',
      order: { process: 'increasing', cluster: 'real-time' },
      gaps: 'on-restart',
    });
    expect(plan({ mode: 'segments' }).guarantees).toMatchObject({
      order: { process: 'increasing' },
      sync: true,
    });
  });
});
