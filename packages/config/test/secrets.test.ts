import { describe, expect, it } from 'vitest';
import { secretHider, shownSetting } from '../src/index.js';

describe('a text with its secrets hidden', () => {
  const hidden = (text: string, config: unknown = {}) => secretHider(config)(text);

  it.each([
    ['at redis://ids:hunter2@r:6379/0', 'at redis://***@r:6379/0'],
    ['at postgres://db/ids?password=hunter2', 'at postgres://db/ids?password=***'],
    ['at libsql://db/?authToken=ey.J0', 'at libsql://db/?authToken=***'],
    ['postgres://db/ids?a=b&sslPassword=hunter2&c=d', 'postgres://db/ids?a=b&sslPassword=***&c=d'],
    ['"postgres://db/ids?password=hunter2" is down', '"postgres://db/ids?password=***" is down'],
    ['at postgres://u:p@ss@db/ids and a@b', 'at postgres://***@db/ids and a@b'],
    ["at redis://u:it's/me@r:6379", 'at redis://***@r:6379'],
    ["postgres://db/ids?password=it's-me&a=b", 'postgres://db/ids?password=***&a=b'],
    ['no password in it', 'no password in it'],
  ])('shows no password of a URL that the config does not know: %s', (text, shown) => {
    expect(hidden(text)).toBe(shown);
  });

  it.each([
    [{ redis: 'redis://:of-redis@r' }, 'of-redis'],
    [{ database: 'postgres://u:of-database@db/ids' }, 'of-database'],
    [{ redis: 'no URL at all' }, 'no URL at all'],
    [{ generators: { order: { redis: 'redis://:of-order@r' } } }, 'of-order'],
    [{ generators: { order: { database: 'postgres://u:of-order@db' } } }, 'of-order'],
    [{ series: { invoice: { database: 'postgres://u:of-series@db' } } }, 'of-series'],
    [{ generators: { order: { encode: { key: '0123456789abcdef' } } } }, '0123456789abcdef'],
    [{ generators: { order: { strategy: 'http', token: 'of-client' } } }, 'of-client'],
    [{ redis: 'redis://:p%40ss-word@r' }, 'p%40ss-word'],
    [{ redis: 'redis://:p%40ss-word@r' }, 'p@ss-word'],
    [{ redis: 'redis://:50%-hunter@r' }, '50%-hunter'],
  ])('shows no secret of the config %j wherever it stands: %s', (config, secret) => {
    expect(hidden(`wrong password ${secret}, twice ${secret}`, config)).toBe('wrong password ***, twice ***');
  });

  it('keeps words that are too short for a secret', () => {
    expect(hidden('order secret', { redis: 'redis://:order@r', database: 'secret' })).toBe('order ***');
  });

  it('shows no rest of a secret that begins with another one', () => {
    expect(hidden('hunter2-of-prod', { redis: 'hunter2', database: 'hunter2-of-prod' })).toBe('***');
  });

  it('is the text itself where the config has no secrets, or is none', () => {
    const clients = { redis: {}, database: 5, generators: { order: { encode: { key: 5 } }, bill: null } };
    for (const config of [clients, {}, null, undefined, 'x']) {
      expect(hidden('5 clients are open', config)).toBe('5 clients are open');
    }
  });
});

describe('a setting for people', () => {
  it.each([
    ['generators.order.encode.key', '0123456789abcdef', '***'],
    ['redis', 'redis://ids:hunter2@r', 'redis://***@r'],
    ['database', 'postgres://u:hun@ter2@db/ids', 'postgres://***@db/ids'],
    ['database', 'mysql://u:hun ter2@db/ids', 'mysql://***@db/ids'],
    ['redis', {}, 'a client'],
    ['generators.order.database', {}, 'a client'],
    ['redis', null, 'null'],
    ['generators.order.require.discloses', ['time'], '["time"]'],
    ['generators.order.encode', { as: 'hex' }, '{"as":"hex"}'],
    ['generators.order.strategy', 'local', 'local'],
    ['generators.order.startAfter', 5n, '5'],
    ['generators.order.sync', true, 'true'],
  ])('%s: %s', (path, value, shown) => {
    expect(shownSetting(path, value)).toBe(shown);
  });
});
