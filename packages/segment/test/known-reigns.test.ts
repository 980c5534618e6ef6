import { describe, expect, it } from 'vitest';
import {
  KnownReigns,
  reserveAbove,
  type SegmentSource,
  SequenceMovedError,
  SupersededReignError,
} from '../src/index.js';
import { ScriptedSource } from './scripted-source.js';
import { twoServers } from './two-servers.js';

const SUPERSEDED = { code: 'ERR_IDS_UNAVAILABLE', retryable: true };

function thrownBy(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('KnownReigns', () => {
  it('follows a reign that has followed the one it knows', () => {
    const known = new KnownReigns('order', { reigns: ['a'] });
    known.accept({ reigns: ['b', 'a'] });
    known.accept({ reigns: ['b', 'a'] });
    known.accept({ reigns: ['d', 'c', 'b', 'a'] });
    expect(known.reigns).toEqual(['d', 'c', 'b', 'a']);
  });

  it('uses nothing of a reign that is over, and names both', () => {
    const known = new KnownReigns('order', { reigns: ['b', 'a'] });
    const error = thrownBy(() => known.accept({ reigns: ['a'] }));
    expect(error).toMatchObject({ ...SUPERSEDED, message: expect.stringMatching(/reign a, .*reign b/) });
    expect(known.reigns).toEqual(['b', 'a']);
  });

  it('goes on where a store lost the reign that it knows, and never returns to that one', () => {
    const known = new KnownReigns('order', { reigns: ['b', 'a'] });
    known.accept({ reigns: ['c', 'a'] });
    expect(thrownBy(() => known.accept({ reigns: ['b', 'a'] }))).toMatchObject(SUPERSEDED);
    expect(thrownBy(() => known.accept({ reigns: ['a'] }))).toMatchObject(SUPERSEDED);
    known.accept({ reigns: ['c', 'a'] });
  });

  it('goes on with a former primary that an operator has accepted', () => {
    const known = new KnownReigns('order', { reigns: ['b', 'a'] });
    known.accept({ reigns: ['accepted', 'a'] });
    expect(thrownBy(() => known.accept({ reigns: ['b', 'a'] }))).toMatchObject(SUPERSEDED);
  });

  it('learns what others know, but nothing from those who know less', () => {
    const known = new KnownReigns('order', { reigns: ['b', 'a'] });
    known.learn(['a']);
    known.learn([]);
    known.learn(['elsewhere', 'a']);
    expect(known.reigns).toEqual(['b', 'a']);
    known.learn(['c', 'b']);
    expect(known.reigns).toEqual(['c', 'b', 'a']);
  });

  it('knows the order of timelines of one system, unless an operator has accepted the earlier one', () => {
    const [one, two, three] = [1, 2, 3].map((timeline) => `00abcdef.0000000${timeline}-00000000`) as string[];
    const known = new KnownReigns('order', { reigns: [two, one] as string[] });
    known.learn([String(three)]);
    expect(known.reigns[0]).toBe(three);
    const other = String(two).replace('-00000000', '-11111111');
    expect(thrownBy(() => known.accept({ reigns: [other] }))).toMatchObject(SUPERSEDED);
    known.learn([other]);
    expect(known.reigns[0]).toBe(three);
    // What another process heard of is no reason to leave the server that answers.
    known.learn([other.replace('-', '!')]);
    expect(known.reigns[0]).toBe(three);
    known.accept({ reigns: [other.replace('-', '!')] });
    expect(thrownBy(() => known.accept({ reigns: [String(three)] }))).toMatchObject(SUPERSEDED);
    // Of another system, nobody knows the order.
    known.accept({ reigns: ['00000001.00000001-00000000'] });
  });

  it('learns no reign again that it has left, and accepts no other row for an old acceptance', () => {
    const [accepted, later, other] = ['00000001!0', '00000003-0', '00000001-1'].map(
      (rest) => `00abcdef.${rest}`,
    );
    const known = new KnownReigns('order', { reigns: [String(accepted), String(later)] });
    known.learn([String(later)]);
    expect(known.reigns[0]).toBe(accepted);
    known.accept({ reigns: [String(later).replace('-0', '-1'), String(accepted)] });
    const row = { reigns: [String(other), String(accepted)] };
    expect(thrownBy(() => known.accept(row))).toMatchObject(SUPERSEDED);
  });

  it('compares nothing where a source does not say where its segments come from', () => {
    const known = new KnownReigns('order');
    known.accept({});
    known.accept({ reigns: ['a'] });
    known.accept({});
    expect(known.reigns).toEqual(['a']);
  });

  it('refuses another sequence of the same name', () => {
    const known = new KnownReigns('order', { realm: 'one' });
    known.accept({ realm: 'one' });
    expect(thrownBy(() => known.accept({ realm: 'two' }))).toMatchObject({
      code: 'ERR_IDS_REALM',
      message: expect.stringMatching(/"order".*\btwo\b.*\bone\b/),
    });
  });

  it('remembers a bounded number of reigns', () => {
    const known = new KnownReigns('order');
    for (let i = 0; i < 100; i++) known.accept({ reigns: [`${i}`] });
    expect(known.reigns).toHaveLength(16);
    expect(known.reigns[0]).toBe('99');
  });
});

describe('reserveAbove', () => {
  const reserve = (source: SegmentSource, known: KnownReigns, floor: number) =>
    reserveAbove(source, 'order', 10, floor, { onEvent: () => {}, known });

  it('changes nothing on a former primary, however often it is asked', async () => {
    const { source, servers } = twoServers(['b', 'b', 'a', 'a', 'a', 'a', 'b']);
    const known = new KnownReigns('order', { reigns: ['a'] });
    const { high } = await reserve(source, known, 0);
    for (let call = 0; call < 3; call++) {
      await expect(reserve(source, known, high)).rejects.toThrow(SupersededReignError);
    }
    await expect(reserve(source, known, 10)).rejects.toThrow(SupersededReignError);
    expect(servers.a.maxId).toBe(50);
    expect(await reserve(source, known, high)).toMatchObject({ low: high + 1 });
  });

  it('raises only the server that went back, though another one answers a moment later', async () => {
    // The successor went back, which is seen; the statement that raises it reaches the former primary.
    const { source, servers } = twoServers(['b', 'a']);
    const known = new KnownReigns('order', { reigns: ['b', 'a'] });
    await expect(reserve(source, known, 5_000)).rejects.toThrow(SupersededReignError);
    expect(servers.a.maxId).toBe(50);
  });

  it('learns the reign of a row that stands above the floor, before its maxId becomes one', async () => {
    const known = new KnownReigns('order', { reigns: ['a'] });
    const { source } = twoServers(['b', 'a']);
    const behind = () =>
      reserveAbove(source, 'order', 10, 50, { onEvent: () => {}, known, behindFloor: true });
    await expect(behind()).rejects.toThrow(SequenceMovedError);
    expect(known.reigns).toEqual(['b', 'a']);
    await expect(behind()).rejects.toThrow(SupersededReignError);
  });

  it('learns the reign of a server that answers where another one was to be raised', async () => {
    const source = new ScriptedSource();
    const known = new KnownReigns('order', { reigns: ['a'] });
    const options = { onEvent: () => {}, known, behindFloor: true };
    const reserving = reserveAbove(source, 'order', 10, 100, options);
    (await source.asked()).refuse(new SequenceMovedError('order', 100, 50, { reigns: ['a'] }));
    (await source.asked()).refuse(new SequenceMovedError('order', undefined, 1_000, { reigns: ['b', 'a'] }));
    await expect(reserving).rejects.toMatchObject({ maxId: 1_000 });
    expect(known.reigns).toEqual(['b', 'a']);
  });

  it('raises a row whose next reservation begins a reign only while it names the reigns that were read', async () => {
    const source = new ScriptedSource();
    const known = new KnownReigns('order', { reigns: ['b', 'a'] });
    const options = { onEvent: () => {}, known, behindFloor: true };
    const reserving = reserveAbove(source, 'order', 10, 100, options);
    (await source.asked()).refuse(new SequenceMovedError('order', 100, 50, { reigns: ['a'] }, true));
    const raise = await source.asked();
    expect([raise.floor, raise.within?.reigns]).toEqual([100, ['a']]);
    raise.answerWith({ low: 101, high: 110, origin: { reigns: ['c', 'a'] } });
    await reserving;
    expect(known.reigns[0]).toBe('c');
  });
});
