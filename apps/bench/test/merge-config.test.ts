import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type IdsConfig, planGenerators } from '@ids/config';
import { objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { uuid7 } from '@ids/uuid7';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gatherNeeds } from '../src/cli/service-config.js';
import { advise } from '../src/judge/advise.js';
import { mergeConfig } from '../src/judge/merge-config.js';
import { writeReport } from '../src/report/page.js';
import { renderTerminal } from '../src/report/terminal.js';
import type { ServiceNeeds } from '../src/schema/advice.js';
import { chosenCase, numbers } from './support/chosen-case.js';
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
  chosenCase('segment-ordered', {
    ...segments,
    order: { process: 'increasing', cluster: 'real-time' },
    sync: false,
  }),
];

/** What a run writes that measured these, with the needs of the config and of flags. */
function merge(config: IdsConfig, flags: ServiceNeeds = {}, withheld?: string) {
  const advice = gatherNeeds(flags, config).map((needs) => advise(needs, MEASURED, withheld));
  const { text, leftOut } = mergeConfig(config, advice, MEASURED);
  return { merged: JSON.parse(text) as IdsConfig, leftOut };
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
    const { merged } = merge({ database, generators }, { type: 'number', rate: 5 });
    expect(merged.generators.order).toEqual({
      strategy: 'segment-inproc',
      require: { unique: 'cluster', type: 'number' },
    });
  });

  it('encodes ids that are to reveal nothing, and leaves the way of the service otherwise', () => {
    const encode = { as: 'crockford', prefix: 'ord' } as const;
    const generators = {
      hidden: { strategy: 'segment-inproc', require: { discloses: [] } },
      named: { strategy: 'segment-inproc', encode, require: { type: 'number' } },
    } as const;
    const { merged } = merge({ database, generators });
    expect(merged.generators.hidden).toMatchObject({
      encode: { as: 'crockford', obfuscate: true },
      require: { discloses: [] },
    });
    expect(merged.generators.named).toMatchObject({ encode });
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
    const result = { ...resultFixture, config: { text: '{ "generators": {} }', leftOut: ['redis'] } };
    const paths = await writeReport(result, dir);
    expect(await readFile(paths.config ?? '', 'utf8')).toBe('{ "generators": {} }\n');
    const note = 'Not in it, because they are secret or not JSON: redis.';
    const printed = renderTerminal(result, paths, {});
    for (const text of ['{ "generators": {} }', note, `config  ${paths.config}`])
      expect(printed).toContain(text);
    const page = await readFile(paths.html, 'utf8');
    expect(page).toContain('for all generators');
    expect(page).toContain(note);
    expect(renderTerminal(resultFixture, paths, {})).not.toContain('Not in it');
  });

  it('holds no secret and no client, and says so', () => {
    const generators = {
      order: {
        strategy: 'segment-inproc',
        encode: { as: 'crockford', obfuscate: true, key: '0123456789abcdef'.repeat(2) },
        tags: ['a', 5, null, false],
        onEvent: () => undefined,
        require: { type: 'number' },
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
          require: { type: 'number' },
        },
      },
    });
    expect(leftOut).toEqual(['redis', 'database', 'generators.order.encode.key', 'generators.order.onEvent']);
  });
});
