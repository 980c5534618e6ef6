import { describe, expect, it } from 'vitest';
import { bigserial, uuidV4 } from '../src/cases/alternatives.js';
import { advise, configBlock, configEncodes, configVariables } from '../src/judge/advise.js';
import type { ServiceNeeds } from '../src/schema/advice.js';
import type { CaseResult } from '../src/schema/case.js';
import type { PlainGuarantees } from '../src/schema/guarantees.js';
import {
  atRateOf,
  burstsOf,
  chosenCase,
  inUseCase,
  loopOf,
  numbers,
  orderOf,
  uniquenessOf,
} from './support/chosen-case.js';

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
      sentences: [
        'Use hex.',
        'It is the only one of 1 that is sound.',
        'What it costs: no order among ids less than 1 s apart.',
      ],
      config: JSON.stringify({ generators: { order: { strategy: 'hex', require: {} } } }, null, 2),
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
  });

  it('recommends nothing where other programs were busy, whatever the ranking says', () => {
    const busy = { notComparable: 'load 3.1 on 2 cores' };
    const said = (needs: ServiceNeeds) =>
      advise(needs, [chosenCase('hex', {}, { sync: burstsOf(1_000) })], busy);
    for (const needs of [{}, { rate: 500 }]) {
      const { choice, config, withheld, sentences, fits } = said(needs);
      expect({ choice, config }).toEqual({ choice: undefined, config: undefined });
      expect(withheld).toBe('other programs were busy on this machine (load 3.1 on 2 cores)');
      expect(sentences.slice(0, 2)).toEqual([
        'No recommendation: other programs were busy on this machine (load 3.1 on 2 cores).',
        'First in the ranking: hex, but rates and times mean little. Run it again while nothing else runs.',
      ]);
      expect(fits).toMatchObject([{ strategy: 'hex', unmet: [] }]);
    }
    expect(said({ rate: 2_000 }).sentences[0]).toBe('Probably no strategy meets every need.');
    expect(said({ type: 'bigint' }).sentences[0]).toBe('No strategy meets every need.');
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
    const measured = { atRate: 'latency' in found ? atRate : { ...atRate, floor: slow } };
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const advice = advise(
      needs,
      names.map((name) => chosenCase(name, {}, measured)),
    );
    expect(advice).not.toHaveProperty('choice');
    expect(advice).not.toHaveProperty('config');
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
      'What it costs: needs Redis and a SQL database; no synchronous call; no order among ids less than 1 s apart.',
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
    expect(sentences.at(-1)).toBe(
      'Runner-up: lacking, if you can do without this: id type: needs string, offers number; ' +
        'synchronous calls: needs nextSync, offers promises only.',
    );
  });

  it('says what was measured: of bursts the rate, of calls to a server their time too', () => {
    const measured = { loops: [loopOf(4_000)], uniqueness: uniquenessOf(0), order: orderOf() };
    expect(sentencesOf({}, chosenCase('hex', {}, measured))[2]).toBe(
      'Measured here: at most 4 k ids/s in one process; 310 µs per call (p50, 16 callers); ' +
        '0 duplicates in 12,000 ids of 4 processes; order across processes: real-time.',
    );
    expect(
      sentencesOf({ rate: 2_000 }, chosenCase('hex', {}, { ...measured, sync: burstsOf(8_000) }))[2],
    ).toBe(
      'Measured here: at most 8 k ids/s in one process, 4 times what you need; ' +
        '0 duplicates in 12,000 ids of 4 processes; order across processes: real-time.',
    );
  });

  it.each([
    [{ gaps: 'on-restart', maxIdsLost: 0 }, undefined],
    [
      { gaps: 'on-restart', maxIdsLost: 50 },
      'numbers that were set aside, up to 50, are skipped when a process ends',
    ],
    [{ gaps: 'on-fault' }, 'numbers that were set aside are skipped when something fails'],
  ] as const)('calls a loss only what was set aside: of %o it says %s', (guarantees, loss) => {
    const { maxIdsLost: _, ...unbounded } = chosenCase('hex').guarantees as PlainGuarantees;
    const result = { ...chosenCase('hex'), guarantees: { ...unbounded, ...guarantees } };
    const costs = sentencesOf({}, result).find((sentence) => sentence.startsWith('What it costs'));
    expect(
      costs
        ?.split('; ')
        .find((cost) => cost.includes('numbers'))
        ?.replace(/\.$/, ''),
    ).toBe(loss);
  });

  it('says which of what people already use would do, and never chooses it', () => {
    const both = [inUseCase(uuidV4), inUseCase(bigserial), chosenCase('hex')];
    const said = (needs: ServiceNeeds) => {
      const { choice, sentences } = advise(needs, both);
      return [choice, sentences.find((sentence) => sentence.startsWith('If you already use'))];
    };
    const wouldDo = 'If you already use one of these, it would do as well, by its specification: ';
    expect(said({ type: 'uuid' })).toEqual([undefined, `${wouldDo}UUID v4.`]);
    expect(said({ order: { cluster: 'real-time' } })).toEqual([undefined, `${wouldDo}bigserial.`]);
    // A driver can return its numbers as either.
    expect(said({ type: 'bigint' })).toEqual([undefined, `${wouldDo}bigserial.`]);
    expect(said({ type: 'number' })).toEqual([undefined, `${wouldDo}bigserial.`]);
    expect(said({ public: true })).toEqual(['hex', `${wouldDo}UUID v4.`]);
    expect(said({ order: { cluster: 'k-sorted' }, offline: true })).toEqual(['hex', undefined]);
  });

  it('of needs that nothing meets names the nearest and what it lacks', () => {
    const needs = { type: 'bigint', sync: true } as const;
    const advice = advise(needs, [chosenCase('hex', { sync: false })]);
    const unmet = [
      'id type: needs bigint, offers string',
      'synchronous calls: needs nextSync, offers promises only',
    ];
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
    const { config, sentences } = advise({ public: true, name: 'invoice' }, [telling]);
    expect(sentences.slice(3)).toEqual([
      'The config obfuscates its ids (encode: as crockford, obfuscate): they are then strings in no order, ' +
        'which only the key can decode. Without that, an outsider learns time, volume. ' +
        OBFUSCATION_COSTS,
      'Its config reads IDS_INVOICE_KEY from the environment.',
    ]);
    expect(JSON.parse(config ?? '')).toEqual({
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
    const { config, sentences } = advise({ public: true, type: 'number' }, [telling]);
    expect(sentences.slice(3)).toEqual([
      "Keep its ids as they are in the column, and show outsiders those of createCodec(guarantees, { as: 'crockford', " +
        'obfuscate: true, key }) of @ids/encode. Without that, an outsider learns time, volume. ' +
        OBFUSCATION_COSTS,
    ]);
    expect(JSON.parse(config ?? '')).toEqual({
      generators: { order: { strategy: 'telling', require: { type: 'number' } } },
    });
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
    expect(configEncodes(telling, needs)).toBe(true);
    expect(configEncodes(telling, {})).toBe(false);
    expect(configEncodes(unknown, needs)).toBe(false);
    expect(configEncodes(chosenCase('silent', numbers), needs)).toBe(false);
    expect(configEncodes(chosenCase('words', { text, discloses: ['volume'] }), needs)).toBe(false);
    expect(configEncodes(telling, { ...needs, type: 'number' })).toBe(false);
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
    const block = configBlock(chosenCase('gpid'), { name: 'bill', rate: 5, public: true, sync: true });
    expect(JSON.parse(block)).toEqual({
      generators: { bill: { strategy: 'gpid', port: 0, require: { sync: true, discloses: [] } } },
    });
    expect(block).toContain('\n  "generators"');
  });
});
