import { createUuid7Generator } from '@ids/uuid7';
import { describe, expect, it } from 'vitest';
import { advise } from '../src/judge/advise.js';
import { configEncodes, configFor, configVariables } from '../src/judge/config.js';
import type { ServiceNeeds } from '../src/schema/advice.js';
import type { CaseResult } from '../src/schema/case.js';
import { atRateOf, burstsOf, chosenCase, loopOf, numbers, orderOf } from './support/chosen-case.js';

const sentencesOf = (needs: ServiceNeeds, ...cases: CaseResult[]) => advise(needs, cases).sentences;

describe('the advice', () => {
  it('is empty where there is no strategy', () => {
    expect(advise({ rate: 5 }, [])).toEqual({ needs: { rate: 5 }, fits: [], sentences: [] });
  });

  it('recommends nothing where other programs were busy, whatever the ranking says', () => {
    const busy = { notComparable: 'load 3.1 on 2 cores' };
    const said = (needs: ServiceNeeds) =>
      advise(needs, [chosenCase('hex', {}, { loops: [loopOf(1_000)] })], busy);
    for (const needs of [{}, { rate: 500 }]) {
      const { choice, withheld, fits } = said(needs);
      expect(choice).toBeUndefined();
      expect(withheld).toContain(busy.notComparable);
      expect(fits).toMatchObject([{ strategy: 'hex', unmet: [] }]);
    }
  });

  it.each([
    ['a rate that the machine cannot ask for', { rate: 1_000, p99Ms: 5 }, { achieved: 867, p99: 10 }],
    [
      'a latency of which there are too few calls',
      { rate: 1_000, p99Ms: 5 },
      { latency: [1, 1, 1, null, null] },
    ],
  ])('recommends nothing where nothing proves %s', (_, needs, found) => {
    const atRate = atRateOf(1_000, found);
    const slow = { ...atRate, latency: atRateOf(1, { p99: 6 }).latency };
    const measured = { atRate: 'latency' in found ? atRate : { ...atRate, baseline: slow } };
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const advice = advise(
      needs,
      names.map((name) => chosenCase(name, {}, measured)),
    );
    expect(advice).not.toHaveProperty('choice');
    expect(advice.withheld).toBeDefined();
  });

  it('recommends the one that is proven, and counts no other among those that fit', () => {
    const needs = { order: { cluster: 'k-sorted' } } as const;
    const open = { order: { ...orderOf(), untested: ['order beyond 11000 ms'] } };
    const proven = chosenCase('served', { backends: ['sql'] }, { order: orderOf() });
    expect(advise(needs, [chosenCase('open', {}, open), proven]).choice).toBe('served');
  });

  it('never is a control', () => {
    const control = chosenCase('Map', {}, { kind: 'control', sync: burstsOf(1e9) });
    const { choice, fits } = advise({}, [control, chosenCase('hex')]);
    expect(choice).toBe('hex');
    expect(fits).toHaveLength(1);
  });

  it('of needs that nothing meets names the nearest and what it lacks', () => {
    const needs = { type: 'bigint', sync: true } as const;
    const advice = advise(needs, [chosenCase('hex', { sync: false })]);
    const { unmet = [] } = advice.fits[0] ?? {};
    expect(unmet).toEqual([expect.stringMatching(/bigint.*string/), expect.stringContaining('nextSync')]);
    expect(advice).toMatchObject({ needs, fits: [{ strategy: 'hex', unmet, sound: true }] });
    expect(advice).not.toHaveProperty('choice');
  });

  it('shows nothing of a strategy whose guarantees are unknown', () => {
    const { guarantees: _guarantees, ...unknown } = chosenCase('unknown');
    const { choice, sentences } = advise({}, [unknown]);
    expect(choice).toBe('unknown');
    expect(sentences).toHaveLength(2);
  });
});

describe('ids that outsiders see', () => {
  const telling = chosenCase('telling', { ...numbers, discloses: ['time', 'volume'] });

  it('are obfuscated by the config where nothing else is needed of them', () => {
    const advice = advise({ public: true, name: 'invoice' }, [telling]);
    expect(JSON.parse(configFor(advice, [telling]) ?? '')).toEqual({
      generators: {
        invoice: {
          strategy: 'telling',
          encode: { as: 'crockford', obfuscate: true },
          require: { discloses: [] },
        },
      },
    });
  });

  it('stay in the column as they are where it needs them so', () => {
    const advice = advise({ public: true, type: 'number' }, [telling]);
    expect(JSON.parse(configFor(advice, [telling]) ?? '')).toEqual({
      generators: { order: { strategy: 'telling', require: { type: 'number' } } },
    });
  });

  it('are shown as UUIDs where they are UUIDs of version 7', () => {
    const { guarantees } = createUuid7Generator();
    const { pattern, ...text } = guarantees.text;
    const uuids = chosenCase('uuids', { ...guarantees, text: { ...text, pattern: pattern.source } });
    expect(configEncodes(uuids, { public: true })).toEqual({ obfuscate: true });
  });

  it('are left alone where they tell nothing, or nobody sees them', () => {
    expect(sentencesOf({ public: true }, chosenCase('hex')).join(' ')).not.toContain('obfuscate');
    expect(sentencesOf({ public: false }, telling).join(' ')).not.toContain('obfuscate');
    expect(sentencesOf({}, telling).join(' ')).not.toContain('obfuscate');
  });
});

describe('the config', () => {
  const needs = { public: true } as const;
  const telling = chosenCase('telling', { ...numbers, backends: ['sql'], discloses: ['volume'] });

  it('obfuscates only ids that tell something, can be obfuscated and keep what is needed', () => {
    const { guarantees: _guarantees, ...unknown } = telling;
    const text = { pattern: '^[a-z]+-[0-9a-f]+$', maxLength: 50, sortable: false };
    expect(configEncodes(telling, needs)).toEqual({ as: 'crockford', obfuscate: true });
    expect(configEncodes(telling, {})).toBeUndefined();
    expect(configEncodes(unknown, needs)).toBeUndefined();
    expect(configEncodes(chosenCase('silent', numbers), needs)).toBeUndefined();
    expect(configEncodes(chosenCase('words', { text, discloses: ['volume'] }), needs)).toBeUndefined();
    expect(configEncodes(telling, { ...needs, type: 'number' })).toBeUndefined();
  });

  it('reads a URL for each backend, and a key where it obfuscates', () => {
    const { guarantees: _guarantees, ...unknown } = telling;
    expect(configVariables(telling, {})).toEqual(['IDS_DATABASE_URL']);
    expect(configVariables(chosenCase('r', { backends: ['redis'] }), {})).toEqual(['IDS_REDIS_URL']);
    expect(configVariables(telling, needs)).toEqual(['IDS_DATABASE_URL', 'IDS_ORDER_KEY']);
    expect(configVariables(telling, { ...needs, name: 'bill' })).toEqual([
      'IDS_DATABASE_URL',
      'IDS_BILL_KEY',
    ]);
    expect(configVariables(telling, { ...needs, name: 'orderLine' })).toEqual([
      'IDS_DATABASE_URL',
      'IDS_ORDER_LINE_KEY',
    ]);
    expect(configVariables(unknown, {})).toEqual([]);
  });

  it('has the needs that it can check, and the options that a strategy cannot do without', () => {
    const cases = [chosenCase('gpid', {}, { atRate: atRateOf(5) })];
    const config = configFor(advise({ name: 'bill', rate: 5, public: true, sync: true }, cases), cases);
    expect(JSON.parse(config ?? '')).toEqual({
      generators: { bill: { strategy: 'gpid', port: 0, require: { sync: true, discloses: [] } } },
    });
    expect(config).toContain('\n  "generators"');
  });

  it('is not there for a strategy of the user, whose config is not known', () => {
    const cases = [chosenCase('own', {}, { own: true })];
    const advice = advise({}, cases);
    expect(advice.choice).toBe('own');
    expect(configFor(advice, cases)).toBeUndefined();
  });
});
