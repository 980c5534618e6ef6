import { Ajv } from 'ajv';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../src/index.js';
import { local, sharedStrategy } from './support.js';

const entries = { layout: v.optional(v.picklist(['random', 'pid'])), size: v.custom<number>(() => true) };
const layered = { ...local, name: 'layered', options: v.object(entries), optionNames: Object.keys(entries) };
const schema = configJsonSchema([local, sharedStrategy().strategy, layered as unknown as typeof local]);
const accepts = new Ajv().compile(schema);
const config = (generator: object) => ({ $schema: './x.json', generators: { order: generator } });

describe('the JSON Schema of a config', () => {
  it.each([
    [{ strategy: 'local', prefix: 'x' }],
    [{ strategy: 'shared', redis: 'r', database: 'd', column: 'orders.id' }],
    [{ strategy: 'layered', layout: 'pid', size: 3 }],
    [{ strategy: 'local', encode: { as: 'base62', width: 11, prefix: 'ord_', check: true } }],
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
    [{ strategy: 'local', encode: { as: 'hex', widht: 3 } }],
    [{ strategy: 'local', require: { unique: 'galaxy' } }],
    [{ strategy: 'local', column: 'id' }],
  ])('refuses %j', (generator) => {
    expect(accepts(config(generator))).toBe(false);
  });

  it('refuses keys that are not known, and a config without generators', () => {
    expect(accepts({ generators: {} })).toBe(false);
    expect(accepts({ ...config({ strategy: 'local' }), databse: 'x' })).toBe(false);
  });
});
