import { createUuid7Generator } from '@ids/uuid7';
import { describe, expect, it } from 'vitest';
import { advise } from '../src/judge/advise.js';
import { configEncodes, configFor, configVariables } from '../src/judge/config.js';
import type { ServiceNeeds } from '../src/schema/advice.js';
import type { CaseResult } from '../src/schema/case.js';
import { atRateOf, burstsOf, chosenCase, loopOf, numbers, orderOf } from './support/chosen-case.js';

const sentencesOf = (needs: ServiceNeeds, ...cases: CaseResult[]) => advise(needs, cases).sentences;

const OBFUSCATION_COSTS =
  'The rates here are those of ids that are not obfuscated; to obfuscate an id takes longer than to issue it.';

describe('the advice', () => {
  it('is empty where there is no strategy', () => {
    expect(advise({ rate: 5 }, [])).toEqual({ needs: { rate: 5 }, fits: [], sentences: [] });
  });

  it('says of a single strategy that it is the only one, and names no runner-up', () => {
    expect(advise({}, [chosenCase('hex')])).toEqual({
      needs: {},
      fits: [{ strategy: 'hex', unmet: [], sound: true }],
      choice: 'hex',
      sentences: ['Use hex.', 'It is the only one of 1 that is sound.'],
    });
  });

  it('begins with the rate that was reached: in one process, or in all at the rate that is needed', () => {
    const fast = { sync: burstsOf(61.3e6, 58.1e6) };
    expect(sentencesOf({}, chosenCase('hex', {}, fast))[0]).toBe(
      'Use hex, which reached 58.1 M ids/s in one process.',
    );
    const at = (rate: number, achieved: number) =>
      sentencesOf({ rate }, chosenCase('hex', {}, { ...fast, atRate: atRateOf(rate, { achieved }) }))[0];
    expect(at(2_000, 2_001)).toBe('Use hex, which reached 2 k ids/s in each of 4 processes.');
    expect(at(2_000, 1_950)).toBe('Use hex, which reached 1.95 k ids/s in each of 4 processes.');
    const measured = { loops: [loopOf(60_000)], atRate: atRateOf(2_000) };
    const again = sentencesOf({ rate: 50_000 }, chosenCase('hex', {}, measured)).join(' ');
    expect(again).toContain('Use hex, which reached 60 k ids/s in one process.');
    expect(again).not.toContain('at that rate');
  });

  it('recommends nothing where other programs were busy, whatever the ranking says', () => {
    const busy = { notComparable: 'load 3.1 on 2 cores' };
    const said = (needs: ServiceNeeds) =>
      advise(needs, [chosenCase('hex', {}, { loops: [loopOf(1_000)] })], busy);
    for (const needs of [{}, { rate: 500 }]) {
      const { choice, withheld, sentences, fits } = said(needs);
      expect(choice).toBeUndefined();
      expect(withheld).toBe('other programs were busy on this machine (load 3.1 on 2 cores)');
      expect(sentences.slice(0, 2)).toEqual([
        'No recommendation: other programs were busy on this machine (load 3.1 on 2 cores).',
        'First in the ranking: hex, but rates and times mean little. Run it again while nothing else runs.',
      ]);
      expect(fits).toMatchObject([{ strategy: 'hex', unmet: [] }]);
    }
    expect(said({ rate: 2_000 }).sentences[0]).toBe('Probably no strategy meets every need.');
    expect(said({ type: 'bigint' }).sentences[0]).toBe('No strategy meets every need.');
    const slowdown = { first: { sync: 70 }, later: { sync: 564 }, afterMs: 5_000, taken: 189_000 };
    const slower = advise({}, [chosenCase('hex', {}, { slowdown })], busy);
    expect(slower.sentences[0]).toBe('Probably no strategy meets every need.');
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
    expect(advice.withheld).toBe('this run did not prove that any strategy meets every need');
    expect(advice.sentences.slice(0, 2)).toEqual([
      'No recommendation: this run did not prove that any strategy meets every need.',
      expect.stringMatching(
        /^First in the ranking: a\. Not tested here: .*\. A longer run \(--full\) may show more\.$/,
      ),
    ]);
    expect(advice.sentences.join(' ')).not.toMatch(/Use |that fit/);
  });

  it('recommends the one that is proven, and counts no other among those that fit', () => {
    const needs = { order: { cluster: 'k-sorted' } } as const;
    const open = { order: { ...orderOf(), untested: ['order beyond 11000 ms'] } };
    const proven = chosenCase('served', { backends: ['sql'] }, { order: orderOf() });
    const { choice, sentences } = advise(needs, [chosenCase('open', {}, open), proven]);
    expect(choice).toBe('served');
    expect(sentences).toContain('It is the only one of 2 that was shown to meet every need.');
    expect(sentences).toContain('Runner-up: open, of which this was not tested here: order beyond 11000 ms.');
  });

  it('never is a control', () => {
    const control = chosenCase('Map', {}, { kind: 'control', sync: burstsOf(1e9) });
    const { choice, fits } = advise({}, [control, chosenCase('hex')]);
    expect(choice).toBe('hex');
    expect(fits).toHaveLength(1);
  });

  it('compares what fits, and names the next that fits as runner-up', () => {
    const sentences = sentencesOf({}, chosenCase('served', { backends: ['sql'] }), chosenCase('hex'));
    expect(sentences.slice(0, 2)).toEqual([
      'Use hex.',
      'Of the 2 that fit, it needs no server, issues without waiting and has the strongest order among those.',
    ]);
    expect(sentences.at(-1)).toBe(
      'Runner-up: served, which fits too. hex ranks higher; what counts, in this order: fewer servers, no waiting, stronger order, less skew, speed.',
    );
  });

  it('names the servers that the best of those with a server needs', () => {
    const cases = [
      chosenCase('two', { sync: false, backends: ['redis', 'sql'] }),
      chosenCase('more', { ...numbers, sync: false, backends: ['redis', 'sql'] }),
    ];
    expect(sentencesOf({}, ...cases)).toEqual([
      'Use two.',
      'Of the 2 that fit, it needs the fewest servers and has the strongest order among those.',
      'Runner-up: more, which fits too. two ranks higher; what counts, in this order: fewer servers, no waiting, stronger order, less skew, speed.',
      'Its config reads IDS_REDIS_URL and IDS_DATABASE_URL from the environment.',
    ]);
  });

  it('says what the runner-up lacks', () => {
    const needs = { type: 'string', sync: true } as const;
    const sentences = sentencesOf(
      needs,
      chosenCase('lacking', { ...numbers, sync: false }),
      chosenCase('hex'),
    );
    expect(sentences[1]).toBe('It is the only one of 2 that meets every need.');
    expect(sentences.at(-1)).toMatch(/lacking.*string.*number.*nextSync/);
  });

  it('of needs that nothing meets names the nearest and what it lacks', () => {
    const needs = { type: 'bigint', sync: true } as const;
    const advice = advise(needs, [chosenCase('hex', { sync: false })]);
    const { unmet = [] } = advice.fits[0] ?? {};
    expect(unmet).toEqual([expect.stringMatching(/bigint.*string/), expect.stringContaining('nextSync')]);
    const nearest = ['No strategy meets every need.', `Nearest: hex, except for this: ${unmet.join('; ')}.`];
    expect(advice).toEqual({
      needs,
      fits: [{ strategy: 'hex', unmet, sound: true }],
      sentences: nearest,
    });
    expect(sentencesOf({ ...needs, public: true }, chosenCase('hex', { sync: false }))).toEqual([
      ...nearest,
      'If ids must reveal nothing and none of these can be obfuscated, use one of them internally, ' +
        'and show outsiders a separate crypto.randomUUID().',
    ]);
  });

  it('shows nothing of a strategy whose guarantees are unknown', () => {
    const { guarantees: _guarantees, ...unknown } = chosenCase('unknown');
    const { choice, sentences } = advise({}, [unknown]);
    expect(choice).toBe('unknown');
    expect(sentences.slice(0, 2)).toEqual(['Use unknown.', 'It is the only one of 1 that is sound.']);
    expect(sentences.join(' ')).not.toMatch(/config|Measured|Runner-up/);
  });
});

describe('ids that outsiders see', () => {
  const telling = chosenCase('telling', { ...numbers, discloses: ['time', 'volume'] });

  it('are obfuscated by the config where nothing else is needed of them', () => {
    const advice = advise({ public: true, name: 'invoice' }, [telling]);
    const { sentences } = advice;
    expect(sentences.slice(2)).toEqual([
      'The config obfuscates its ids (encode: as crockford, obfuscate): they are then strings in no order, ' +
        'which only the key can decode. Without that, an outsider learns time, volume. ' +
        OBFUSCATION_COSTS,
      'Its config reads IDS_INVOICE_KEY from the environment.',
    ]);
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
    const { sentences } = advice;
    expect(sentences.slice(2)).toEqual([
      "Keep its ids as they are in the column, and show outsiders those of createCodec(guarantees, { as: 'crockford', " +
        'obfuscate: true, key }) of @ids/encode. Without that, an outsider learns time, volume. ' +
        OBFUSCATION_COSTS,
    ]);
    expect(JSON.parse(configFor(advice, [telling]) ?? '')).toEqual({
      generators: { order: { strategy: 'telling', require: { type: 'number' } } },
    });
  });

  it('are shown as UUIDs where they are UUIDs of version 7', () => {
    const { guarantees } = createUuid7Generator();
    const { pattern, ...text } = guarantees.text;
    const uuids = chosenCase('uuids', { ...guarantees, text: { ...text, pattern: pattern.source } });
    expect(configEncodes(uuids, { public: true })).toEqual({ obfuscate: true });
    const kept = sentencesOf({ public: true, order: { process: 'increasing' } }, uuids).join(' ');
    expect(kept).toContain('those of createCodec(guarantees, { obfuscate: true, key }) of @ids/encode');
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
