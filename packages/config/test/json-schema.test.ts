import { Ajv } from 'ajv';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../src/index.js';
import { local, requiring, sharedStrategy } from './support.js';

const entries = { layout: v.optional(v.picklist(['random', 'pid'])), size: v.custom<number>(() => true) };
const layered = { ...local, name: 'layered', options: v.object(entries), optionNames: Object.keys(entries) };
const schema = configJsonSchema([local, sharedStrategy().strategy, layered as unknown as typeof local]);
// Editors validate with other libraries than the one that describes a config: so does this test.
const accepts = new Ajv().compile(schema);
const config = (generator: object) => ({ $schema: './x.json', generators: { order: generator } });

describe('the JSON Schema of a config', () => {
  it.each([
    [{ strategy: 'local', prefix: 'x' }],
    [{ strategy: 'shared', redis: 'r', database: 'd', column: 'orders.id' }],
    [{ strategy: 'layered', layout: 'pid', size: 3 }],
    [{ strategy: 'local', encode: { as: 'base62', width: 11, prefix: 'ord_', check: true } }],
    [{ strategy: 'local', encode: { form: 'typeid', prefix: 'order' } }],
    [{ strategy: 'local', require: { order: { cluster: 'real-time' }, maxIdsLost: 5, discloses: ['time'] } }],
  ])('accepts %j', (generator) => {
    accepts(config(generator));
    expect(accepts.errors).toBeNull();
  });

  it.each([
    [{}],
    [{ strategy: 'locl' }],
    [{ strategy: 'local', prefx: 'x' }],
    [{ strategy: 'local', redis: 'r' }],
    [{ strategy: 'layered', layout: 'rand' }],
    [{ strategy: 'local', encode: { as: 'base64' } }],
    [{ strategy: 'local', encode: { form: 'uuid' } }],
    [{ strategy: 'local', encode: { as: 'hex', widht: 3 } }],
    [{ strategy: 'local', require: { unique: 'galaxy' } }],
    [{ strategy: 'local', column: 'id' }],
  ])('refuses %j', (generator) => {
    expect(accepts(config(generator))).toBe(false);
  });

  it('refuses keys that are not known, and a config without generators', () => {
    expect(accepts({})).toBe(false);
    expect(accepts({ generators: {} })).toBe(false);
    expect(accepts({ ...config({ strategy: 'local' }), databse: 'x' })).toBe(false);
  });

  it('accepts series, also without generators', () => {
    const startAfter = { table: 'app.invoices', column: 'number', keyColumn: 'customer', perYear: false };
    accepts({ series: { invoice: { deadlineMs: 500, startAfter }, receipt: {} } });
    expect(accepts.errors).toBeNull();
    expect(accepts({ series: {} })).toBe(false);
    for (const wrong of [{ tabel: 'x' }, { table: 'a b' }, { startAfter: { table: 'x' } }, { deadlineMs: 0 }])
      expect(accepts({ series: { invoice: wrong } }), JSON.stringify(wrong)).toBe(false);
  });

  it.each([
    ['$schema', 5],
    ['redis', 5],
    ['database', 5],
    ['logLevel', 'loud'],
  ])('refuses %s: %s', (key, value) => {
    expect(accepts({ ...config({ strategy: 'local' }), [key]: value })).toBe(false);
  });

  it('accepts backends and each level of the log', () => {
    for (const logLevel of ['silent', 'error', 'warn', 'info', 'debug']) {
      accepts({ ...config({ strategy: 'local' }), redis: 'redis://r', database: 'postgres://d', logLevel });
      expect(accepts.errors).toBeNull();
    }
  });

  it('tells an editor its draft, what it describes, and what the keys mean', () => {
    expect(schema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'ids.config',
      properties: {
        redis: { description: 'redis:// URL for all generators; better in IDS_REDIS_URL' },
        database: {
          description:
            'postgres://, mysql://, libsql:// or sqlite: URL for all generators; better in IDS_DATABASE_URL',
        },
        logLevel: { description: 'which events of generators are logged' },
      },
    });
  });

  it('refuses a generator without a strategy where there is only one, too', () => {
    const acceptsLocal = new Ajv().compile(configJsonSchema([local]));
    expect(acceptsLocal(config({ strategy: 'local' }))).toBe(true);
    expect(acceptsLocal(config({}))).toBe(false);
  });

  it('describes an option as it is written, not as the strategy gets it', () => {
    const options = v.object({ size: v.pipe(v.string(), v.transform(Number), v.number()) });
    const sized = { ...local, options, optionNames: ['size'] } as unknown as typeof local;
    const acceptsSized = new Ajv().compile(configJsonSchema([sized]));
    expect(acceptsSized(config({ strategy: 'local', size: '5' }))).toBe(true);
    expect(acceptsSized(config({ strategy: 'local', size: 5 }))).toBe(false);
  });

  it('knows the names of options only where another library describes them, in words that valibot has too', () => {
    const options = { ...requiring<object>(), type: 'union', members: [] };
    const acceptsOther = new Ajv().compile(configJsonSchema([{ ...local, options }]));
    expect(acceptsOther(config({ strategy: 'local', prefix: 5 }))).toBe(true);
    expect(acceptsOther(config({ strategy: 'local', prefx: 'x' }))).toBe(false);
  });
});
