import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@ids/config';
import { createIds } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { uuid7 } from '@ids/uuid7';
import { describe, expect, it } from 'vitest';
import { cases } from '../src/cases/strategies.js';
import { configNeeds } from '../src/cli/service-config.js';
import { advise } from '../src/judge/advise.js';
import { configFor } from '../src/judge/config.js';
import type { Advice, ServiceNeeds } from '../src/schema/advice.js';
import type { CaseResult } from '../src/schema/case.js';

/** Named as one installs and configures it. */
const REAL_TIME = "segment-inproc with order: 'real-time'";

const around = (median: number) => ({ median, low: median, high: median });

const configOf = (advice: Advice, of: readonly CaseResult[]) => configFor(advice, of) ?? '';

/** The strategies of this workspace as a run would find them, with rates as given. */
function results(rates: Readonly<Record<string, number>> = {}): CaseResult[] {
  return cases.flatMap((one): CaseResult[] => {
    if (one.kind !== 'strategy') return [];
    const { text, ...guarantees } = one.guarantees;
    const loop = { concurrency: 16, batch: 1, p50: 310_000, p99: 700_000, ratios: [] };
    return [
      {
        name: one.name,
        kind: 'strategy',
        status: 'ok',
        ...(one.idTypes && { idTypes: one.idTypes }),
        guarantees: { ...guarantees, text: { ...text, pattern: text.pattern.source } },
        loops: [{ ...loop, idsPerSecond: around(rates[one.name] ?? 1e6) }],
        uniqueness: { ids: 1_000, processes: 4, duplicates: 0, examples: [], seconds: 1 },
      },
    ];
  });
}

const names = (needs: Parameters<typeof advise>[0], of = results()) =>
  advise(needs, of).fits.map(({ strategy, unmet }) => (unmet.length === 0 ? strategy : `not ${strategy}`));

describe('the choice', () => {
  it('is the one without a server and with the strongest order when nothing is needed', () => {
    expect(names({})).toEqual([
      'uuid7',
      'objectid',
      'gpid',
      'snowflake',
      'segment-inproc',
      REAL_TIME,
      'segment-redis-db',
    ]);
  });

  it.each([
    [{ order: { cluster: 'real-time' } }, REAL_TIME, 2],
    [{ type: 'number' }, 'segment-inproc', 3],
    [{ offline: true }, 'uuid7', 3],
    [{ order: { cluster: 'k-sorted' }, type: 'number' }, REAL_TIME, 2],
  ] as const)('for %j is %s', (needs, choice, fitting) => {
    const { choice: chosen, fits, sentences } = advise(needs, results());
    expect(chosen).toBe(choice);
    expect(fits.filter(({ unmet }) => unmet.length === 0)).toHaveLength(fitting);
    expect(sentences[0]).toBe(`Use ${choice}, which reached 1 M ids/s in one process.`);
  });

  it.each([
    [{ type: 'string', maxLength: 24 }, 'objectid', {}],
    [{}, 'uuid7', {}],
    [{ type: 'uuid' }, 'uuid7', {}],
    [{ reveals: ['process'] }, 'gpid', {}],
    [{ type: 'number' }, 'segment-inproc', {}],
    [{ type: 'bigint' }, 'snowflake', {}],
    [{ type: 'bigint', order: { cluster: 'k-sorted' }, sync: true }, 'snowflake', {}],
    [{ order: { cluster: 'real-time' } }, REAL_TIME, {}],
    [{ order: { cluster: 'real-time' }, rate: 5e4 }, 'segment-redis-db', { [REAL_TIME]: 2e4 }],
  ] as const)('for %j is %s: each strategy has needs that single it out', (needs, choice, rates) => {
    expect(advise(needs, results(rates)).choice).toBe(choice);
  });

  it('chooses the type that is needed where a strategy offers several, and says so in the config', () => {
    const inproc = results().filter(({ name }) => name === 'segment-inproc');
    const advice = advise({ type: 'bigint' }, inproc);
    expect(advice.choice).toBe('segment-inproc');
    expect(JSON.parse(configOf(advice, inproc))).toMatchObject({ generators: { order: { as: 'bigint' } } });
    expect(configOf(advise({ type: 'number' }, inproc), inproc)).not.toContain('"as"');
    expect(advise({ type: 'uuid' }, inproc).choice).toBeUndefined();
  });

  it('says why another does not fit', () => {
    const { fits, sentences } = advise({ order: { cluster: 'real-time' } }, results());
    const objectidFit = fits.find(({ strategy }) => strategy === 'objectid');
    expect(objectidFit?.unmet).toEqual([expect.stringMatching(/real-time.*k-sorted/)]);
    const redis = results().filter(({ name }) => name !== REAL_TIME);
    expect(advise({ order: { cluster: 'real-time' } }, redis).sentences.join(' ')).toContain(
      'Runner-up: uuid7, if you can do without this',
    );
    expect(sentences.join(' ')).toContain('Runner-up: segment-redis-db, which fits too');
  });

  it('is Redis for an order at a rate that the database does not hold', () => {
    const needs = { rate: 50_000, order: { cluster: 'real-time' } } as const;
    expect(advise(needs, results()).choice).toBe(REAL_TIME);
    expect(advise(needs, results({ [REAL_TIME]: 2e4 })).choice).toBe('segment-redis-db');
  });

  it('holds a rate to what was measured', () => {
    const fits = names(
      { rate: 50_000, order: { cluster: 'real-time' } },
      results({ 'segment-redis-db': 2e4 }),
    );
    expect(fits).not.toContain('segment-redis-db');
    const { sentences } = advise({ rate: 50_000 }, results());
    expect(sentences.join(' ')).toContain('20 times what you need');
  });

  it('never is a strategy that gave an id twice or broke its order in this run', () => {
    const bad = results().map((one) =>
      one.name === 'uuid7'
        ? { ...one, uniqueness: { ids: 9, processes: 2, duplicates: 1, examples: [], seconds: 1 } }
        : one,
    );
    expect(advise({}, bad).choice).toBe('objectid');
    expect(advise({}, bad).fits.at(-1)?.unmet).toEqual(['unique: issued 1 ids twice']);
  });

  it('is one whose ids can be obfuscated where outsiders must learn nothing, and says how', () => {
    const { choice, fits, sentences } = advise({ public: true }, results());
    expect(choice).toBe('uuid7');
    expect(fits.map(({ strategy, unmet, obfuscate }) => [strategy, unmet, obfuscate])).toEqual([
      ['uuid7', [], true],
      ['objectid', [], true],
      ['snowflake', [], true],
      ['segment-inproc', [], true],
      [REAL_TIME, [], true],
      ['segment-redis-db', [], true],
      [
        'gpid',
        ['public: reveals time, volume, address, process, and its ids cannot be obfuscated'],
        undefined,
      ],
    ]);
    expect(sentences.join(' ')).toContain('The config obfuscates its ids (encode: obfuscate)');
  });

  it('goes to one that tells nothing as it is, before those that have to be obfuscated', () => {
    const plain = results().map((one) =>
      one.name === 'segment-inproc' && one.guarantees
        ? { ...one, guarantees: { ...one.guarantees, discloses: [] } }
        : one,
    );
    const advice = advise({ public: true }, plain);
    const { choice, sentences } = advice;
    expect(choice).toBe('segment-inproc');
    expect(configOf(advice, plain)).not.toContain('encode');
    expect(sentences[1]).toBe('Of the 6 that fit, only its ids need not be obfuscated.');
    expect(sentences.join(' ')).toContain('Runner-up: uuid7, which fits once its ids are obfuscated.');
  });

  it('keeps numbers in order for the column, where obfuscated texts would be neither', () => {
    const needs = { public: true, type: 'number', order: { cluster: 'real-time' } } as const;
    const advice = advise(needs, results());
    const { choice, sentences } = advice;
    expect(choice).toBe(REAL_TIME);
    expect(configOf(advice, results())).not.toContain('encode');
    expect(sentences.join(' ')).toContain('show outsiders those of createCodec');
  });

  it('is none where outsiders must learn nothing and no id can be obfuscated, and says what to do instead', () => {
    const gpids = results().filter(({ name }) => name === 'gpid');
    const { choice, sentences } = advise({ public: true }, gpids);
    expect(choice).toBeUndefined();
    expect(sentences.join(' ')).toMatch(/^No strategy meets every need\. Nearest: .*crypto\.randomUUID/);
  });
});

describe('the config to copy', () => {
  it.each([
    ['objectid', {}],
    ['uuid7', { order: { cluster: 'k-sorted' }, type: 'string' }],
    ['gpid', { unique: 'cluster', sync: true, offline: true }],
    ['segment-inproc', { type: 'number', sync: true }],
    ['segment-inproc', { type: 'bigint' }],
    ['uuid7', { type: 'uuid' }],
    ['gpid', { reveals: ['process'] }],
    [REAL_TIME, { order: { cluster: 'real-time' } }],
    ['segment-redis-db', { order: { cluster: 'real-time' } }],
    ['objectid', { public: true }],
    ['uuid7', { public: true }],
    ['segment-redis-db', { public: true, unique: 'cluster' }],
  ] as const)('is one that @ids/config accepts: %s', async (strategy, needs) => {
    const only = results().filter(({ name }) => name === strategy);
    const config = configOf(advise(needs, only), only);
    const dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
    try {
      await writeFile(join(dir, 'ids.config.json'), config);
      const { public: hidden, ...others }: ServiceNeeds = needs;
      const environment = hidden ? { IDS_ORDER_KEY: '0123456789abcdef'.repeat(2) } : {};
      const { generators } = await loadConfig({ cwd: dir, environment });
      const { require, encode, ...options } = generators.order ?? { strategy: 'none' };
      expect(require).toEqual({ ...others, ...(hidden && { discloses: [] }) });
      expect(encode?.obfuscate).toBe(hidden);
      const backends = { name: 'order', database: 'postgres://localhost/db', redis: 'redis://localhost' };
      const list = [objectid, uuid7, gpid, segmentInproc, segmentRedisDb];
      const { strategy: named } = options;
      expect(named).toBe(strategy === REAL_TIME ? 'segment-inproc' : strategy);
      const known = list.find(({ name }) => name === named)?.optionNames ?? [];
      const shared = Object.fromEntries(Object.entries(backends).filter(([name]) => known.includes(name)));
      expect(createIds(list).plan({ ...shared, ...options } as never).strategy).toBe(named);
      // The same file is what the bench reads with --config.
      expect(await configNeeds(join(dir, 'ids.config.json'))).toEqual({ name: 'order', ...needs });
      await expect(configNeeds(join(dir, 'ids.config.yaml'))).rejects.toThrow('only "ids.config.json" there');
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it.each(['needs.json', join(tmpdir(), 'nowhere', 'ids.config.json')])(
    'is not looked for in %s',
    async (config) => {
      await expect(configNeeds(config)).rejects.toThrow('--config');
    },
  );

  it('is refused with several generators, by their names', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
    const path = join(dir, 'ids.config.json');
    const generators = { order: { strategy: 'uuid7' }, event: { strategy: 'objectid' } };
    await writeFile(path, JSON.stringify({ generators }));
    await expect(configNeeds(path)).rejects.toThrow(
      `--config must have one generator, got order, event in "${path}"`,
    );
    await rm(dir, { recursive: true });
  });
});
