import { describe, expect, it } from 'vitest';
import { settingsOf, withSettings } from '../src/load.js';

class Client {
  readonly url = 'redis://localhost';
}

const client = new Client();
const bare: Record<string, unknown> = Object.assign(Object.create(null), { step: 5 });

describe('the settings of a config', () => {
  it('are its leaves, of which lists, clients, null and false are some, and undefined is none', () => {
    const config = {
      redis: client,
      list: [1],
      none: null,
      off: false,
      left: undefined,
      bare,
      inner: { a: 'b' },
    };
    expect(settingsOf(config, 'code')).toEqual([
      { path: ['redis'], value: client, origin: 'code' },
      { path: ['list'], value: [1], origin: 'code' },
      { path: ['none'], value: null, origin: 'code' },
      { path: ['off'], value: false, origin: 'code' },
      { path: ['bare', 'step'], value: 5, origin: 'code' },
      { path: ['inner', 'a'], value: 'b', origin: 'code' },
    ]);
  });
});

describe('a config with settings laid over it', () => {
  const setting = (value: unknown, ...path: string[]) => ({ path, value, origin: 'code' });

  it('is a copy with the later setting above the earlier, and leaves the config as it was', () => {
    const config = { redis: client, generators: { order: { strategy: 'a', step: 1 } } };
    const laid = withSettings(config, [
      setting('b', 'generators', 'order', 'strategy'),
      setting('c', 'generators', 'order', 'strategy'),
      setting('d', 'generators', 'bill', 'strategy'),
    ]);
    expect(laid).toEqual({
      redis: client,
      generators: { order: { strategy: 'c', step: 1 }, bill: { strategy: 'd' } },
    });
    expect((laid as typeof config).redis).toBe(client);
    expect(config).toEqual({ redis: client, generators: { order: { strategy: 'a', step: 1 } } });
  });

  it('keeps what is undefined, and lays settings over it', () => {
    const config = { a: undefined, inner: { b: undefined, c: undefined } };
    expect(withSettings(config, [setting(1, 'a'), setting(2, 'inner', 'b', 'd')])).toStrictEqual({
      a: 1,
      inner: { b: { d: 2 }, c: undefined },
    });
  });

  it('can be changed like any object', () => {
    const laid = withSettings({}, [setting(1, 'a'), setting(2, 'b')]) as Record<string, number>;
    laid.a = 3;
    delete laid.b;
    expect(laid).toEqual({ a: 3 });
  });

  it('has an object where a setting below one that is none is laid', () => {
    expect(withSettings({ a: 'text' }, [setting(1, 'a', 'b')])).toEqual({ a: { b: 1 } });
    expect(withSettings({ a: [1] }, [setting(1, 'a', 'b')])).toEqual({ a: { b: 1 } });
  });

  it('takes no key from the prototype of objects', () => {
    const laid = withSettings({}, [setting(1, 'constructor', 'b'), setting(2, '__proto__', 'b')]);
    expect(Object.getOwnPropertyNames(laid)).toEqual(['constructor', '__proto__']);
    expect(({} as Record<string, unknown>).b).toBeUndefined();
  });
});
