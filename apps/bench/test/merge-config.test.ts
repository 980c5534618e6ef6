import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type IdsConfig, planGenerators } from '@ids/config';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { uuid7 } from '@ids/uuid7';
import { describe, expect, it, onTestFinished } from 'vitest';
import { caseList } from '../src/cases/strategies.js';
import { gatherNeeds } from '../src/cli/service-config.js';
import { advise } from '../src/judge/advise.js';
import { mergeConfig } from '../src/judge/merge-config.js';
import { writeReport } from '../src/report/page.js';
import { renderTerminal } from '../src/report/terminal.js';
import type { ServiceNeeds } from '../src/schema/advice.js';
import { burstsOf, chosenCase, numbers } from './support/chosen-case.js';
import { resultFixture } from './support/result-fixture.js';

const segments = {
  ...numbers,
  backends: ['sql'],
  discloses: ['volume'],
  order: { process: 'increasing', cluster: 'none' },
} as const;
const MEASURED = [
  chosenCase('objectid', { discloses: ['time', 'process'] }),
  chosenCase('segment-inproc', segments, { idTypes: ['number', 'bigint'] }),
  chosenCase("segment-inproc with order: 'real-time'", {
    ...segments,
    order: { process: 'increasing', cluster: 'real-time' },
    sync: false,
  }),
];

/** The same with all that they claim. */
const REAL = caseList.cases.flatMap((one) => {
  if (one.kind !== 'strategy') return [];
  const { text, ...rest } = one.guarantees;
  return [chosenCase(one.name, { ...rest, text: { ...text, pattern: text.pattern.source } })];
});

/** What a run writes that measured these, with the needs of the config and of flags. */
function merge(config: IdsConfig, flags: ServiceNeeds = {}, withheld?: string, measured = MEASURED) {
  const advice = gatherNeeds(flags, config).map((needs) => advise(needs, measured, { withheld }));
  const { text, ...missing } = mergeConfig(config, advice, measured);
  return { merged: JSON.parse(text) as IdsConfig, ...missing };
}

const database = 'postgres://localhost/ids';

describe('the config after a run with --config', () => {
  it('has the strategy that was recommended for each generator, and meets its needs', () => {
    const { merged, leftOut } = merge(
      defineConfig({
        database,
        generators: {
          order: { strategy: 'objectid', clockDriftMs: 5, column: 'orders.id', require: { type: 'bigint' } },
          trace: { strategy: 'uuid7', require: { type: 'string' } },
          ticket: { strategy: 'segment-inproc', minStep: 50, require: { order: { cluster: 'real-time' } } },
        },
      }),
    );
    expect(merged).toEqual({
      database,
      generators: {
        order: {
          strategy: 'segment-inproc',
          as: 'bigint',
          column: 'orders.id',
          require: { type: 'bigint' },
        },
        trace: { strategy: 'objectid', require: { type: 'string' } },
        ticket: {
          strategy: 'segment-inproc',
          minStep: 50,
          order: 'real-time',
          require: { order: { cluster: 'real-time' } },
        },
      },
    });
    expect(leftOut).toEqual([]);
    // What a service would say of it.
    const plans = planGenerators([objectid, uuid7, segmentInproc], merged);
    expect([...plans.keys()]).toEqual(['order', 'trace', 'ticket']);
  });

  it('states the needs of flags too', () => {
    const generators = { order: { strategy: 'objectid', require: { unique: 'cluster' } } } as const;
    const measured = MEASURED.map((one) => ({ ...one, sync: burstsOf(1_000) }));
    const { merged } = merge({ database, generators }, { type: 'number', rate: 5 }, undefined, measured);
    expect(merged.generators.order).toEqual({
      strategy: 'segment-inproc',
      require: { unique: 'cluster', type: 'number' },
    });
  });

  it('encodes ids that are to reveal nothing, and leaves the way of the service otherwise', () => {
    const encode = { as: 'crockford', prefix: 'ord' } as const;
    const generators = {
      hidden: { strategy: 'segment-inproc', require: { discloses: [] } },
      named: { strategy: 'segment-inproc', encode, require: { maxLength: 20 } },
    } as const;
    const { merged } = merge({ database, generators });
    expect(merged.generators.hidden).toMatchObject({
      encode: { as: 'crockford', obfuscate: true },
      require: { discloses: [] },
    });
    expect(merged.generators.named).toMatchObject({ encode });
  });

  it('keeps the prefix and the digits of ids that it obfuscates', () => {
    const encode = { as: 'base62', prefix: 'ord_', check: true, obfuscate: true } as const;
    const generators = {
      before: { strategy: 'segment-inproc', encode, require: { discloses: [], maxLength: 20 } },
      plain: {
        strategy: 'segment-inproc',
        encode: { as: 'hex', prefix: 'p_' },
        require: { discloses: [], maxLength: 20 },
      },
    } as const;
    const { merged, dropped } = merge({ database, generators });
    expect(merged.generators.before?.encode).toEqual(encode);
    expect(merged.generators.plain?.encode).toEqual({ as: 'hex', prefix: 'p_', obfuscate: true });
    expect(dropped).toBeUndefined();
  });

  it.each([
    ['digits, of ids that are no numbers', 'gpid', { as: 'base62', prefix: 'g_' }, { prefix: 'g_' }, ['as']],
    [
      'a width that is too small for the ids',
      'objectid',
      { as: 'base62', width: 8 },
      undefined,
      ['as', 'width'],
    ],
    ['a form of UUIDs', 'segment-inproc', { form: 'typeid', prefix: 'u' }, { prefix: 'u' }, ['form']],
  ] as const)('drops what the choice cannot have: %s', (_, choice, encode, expected, without) => {
    const generators = { order: { strategy: 'uuid7', encode, require: { unique: 'cluster' } } } as const;
    const [chosen] = REAL.filter(({ name }) => name === choice);
    const { merged, dropped } = merge({ database, generators }, {}, undefined, chosen ? [chosen] : []);
    expect(merged.generators.order).toMatchObject({ strategy: choice });
    expect(merged.generators.order?.encode).toEqual(expected);
    expect(dropped).toEqual(without.map((option) => `generators.order.encode.${option}`));
    // What a service would say of it.
    expect(() => planGenerators([gpid, objectid, segmentInproc], merged)).not.toThrow();
  });

  it('drops an encoding with which the choice would not meet the needs', () => {
    const generators = {
      code: {
        strategy: 'segment-inproc',
        as: 'bigint',
        encode: { as: 'hex', prefix: 'c_' },
        require: { type: 'number' },
      },
    } as const;
    const { merged, dropped } = merge({ database, generators });
    expect(merged.generators.code).toEqual({ strategy: 'segment-inproc', require: { type: 'number' } });
    expect(dropped).toEqual(['generators.code.encode.as', 'generators.code.encode.prefix']);
    expect(() => planGenerators([segmentInproc], merged)).not.toThrow();
  });

  it('has the mode that was recommended, not the one before', () => {
    const require = { type: 'number', sync: true } as const;
    const generators = {
      order: { strategy: 'segment-inproc', order: 'real-time', minStep: 50, require },
    } as const;
    const { merged } = merge({ database, generators });
    expect(merged.generators.order).toEqual({ strategy: 'segment-inproc', minStep: 50, require });
    expect(() => planGenerators([segmentInproc], merged)).not.toThrow();
  });

  it('stays as it is where nothing is recommended', () => {
    const generators = {
      order: { strategy: 'gpid', port: 9_000, require: { sync: true, maxLength: 3 } },
    } as const;
    expect(merge({ generators }).merged).toEqual({ generators });
    const fitting = { generators: { order: { strategy: 'gpid', require: { type: 'string' } } } } as const;
    expect(merge(fitting, {}, 'it was too short').merged).toEqual(fitting);
  });

  it('is a file of the report, and in the terminal and on the page with what is left out', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const dropped = ['generators.order.encode.width'];
    const config = { text: '{ "generators": {} }', leftOut: ['redis'], dropped };
    const result = { ...resultFixture, config };
    const paths = await writeReport(result, dir);
    expect(await readFile(paths.config ?? '', 'utf8')).toBe('{ "generators": {} }\n');
    const note = 'Not in it, because they are secret or not JSON: redis.';
    const printed = renderTerminal(result, paths, {});
    for (const text of ['{ "generators": {} }', note, dropped.join(), `config  ${paths.config}`])
      expect(printed).toContain(text);
    const page = await readFile(paths.html, 'utf8');
    expect(page).toContain('for all generators');
    expect(page).toContain(note);
    expect(page).toContain(dropped.join());
    expect(renderTerminal(resultFixture, paths, {})).not.toContain('Not in it');
  });

  it('holds no secret and no client, and says so', () => {
    const generators = {
      order: {
        strategy: 'segment-inproc',
        encode: { as: 'crockford', obfuscate: true, key: '0123456789abcdef'.repeat(2) },
        tags: ['a', 5, null, false],
        onEvent: () => undefined,
        require: { maxLength: 20 },
      },
    } as const;
    const { merged, leftOut } = merge({
      redis: new URL('redis://localhost'),
      database: 'postgres://ids:hunter2@db/ids',
      generators,
    });
    expect(merged).toEqual({
      generators: {
        order: {
          strategy: 'segment-inproc',
          encode: { as: 'crockford', obfuscate: true },
          tags: ['a', 5, null, false],
          require: { maxLength: 20 },
        },
      },
    });
    expect(leftOut).toEqual(['redis', 'database', 'generators.order.encode.key', 'generators.order.onEvent']);
  });
});
