import { MessagesPage } from '@ids/local-services/messages-page';
import { createUuid7Generator } from '@ids/uuid7';
import { expect, it } from 'vitest';
import { selectCases } from '../src/cases/select.js';
import { cases } from '../src/cases/strategies.js';
import { parseArguments } from '../src/cli/options.js';
import { advise } from '../src/judge/advise.js';
import { reportOf } from '../src/report/sections.js';
import { renderTerminal } from '../src/report/terminal.js';
import type { ServiceNeeds } from '../src/schema/advice.js';
import type { CaseResult } from '../src/schema/case.js';
import type { BenchResult } from '../src/schema/run.js';
import {
  atRateOf,
  burstsOf,
  chosenCase,
  loopOf,
  numbers,
  orderOf,
  uniquenessOf,
} from './support/chosen-case.js';
import { resultFixture } from './support/result-fixture.js';

/*
 * What users of the bench read, in messages.md: each sentence stands there, and in no other test. Read it as
 * prose; `pnpm vitest run --project bench messages -u` writes it anew.
 */

const page = new MessagesPage(import.meta.url);

const wrongArguments = [
  ...['--ful', '--onyl=objectid,gpid', '-x', 'objectid', 'report', 'report a.json b.json', 'faults a.json'],
  ...['--processes=1', '--processes=4.5', '--processes=-4', '--processes', '--rate=fast', '--p99=5ms'],
  ...['--rate=1 --p99=5', '--order=realtime', '--type=ulid', '--reveals=volume', '--max-length=0'],
  ...['--only=', '--strategy=,', '--out=', '--smoke --full', '--smoke --quick', '--quick --full'],
  ...['--out --help', 'faults --rate=5', 'keyed --strategy=own.mjs', 'report a.json --only=gpid'],
];

it('the command line', async () => {
  page.section('The command line');
  const parsing = wrongArguments.map((line) => [line, () => parseArguments(line.split(' '))] as const);
  const selecting = ['objctid', 'nanoid'].map((name) => [name, () => selectCases(cases, [name])] as const);
  await page.refusals(/./, [...parsing, ...selecting]);
});

const fast = { sync: burstsOf(61.3e6, 58.1e6) };
const hex = (measured: object = fast) => chosenCase('hex', {}, measured);
const telling = chosenCase('telling', { ...numbers, discloses: ['time', 'volume'] });
const served = chosenCase('served', { backends: ['sql'] });
const { guarantees: _guarantees, ...unknown } = chosenCase('unknown');
const { pattern, ...text } = createUuid7Generator().guarantees.text;
const uuids = chosenCase('uuids', {
  ...createUuid7Generator().guarantees,
  text: { ...text, pattern: pattern.source },
});
const words = { pattern: '^[a-z]+-[0-9a-f]+$', maxLength: 50, sortable: false };
const slow = { ...atRateOf(1_000), latency: atRateOf(1, { p99: 6 }).latency };
const untested = { ...orderOf(), untested: ['order beyond 11000 ms'] };
const busy = { notComparable: 'load 3.1 on 2 cores' };

const advised: Readonly<Record<string, Parameters<typeof advise>>> = {
  'one strategy': [{}, [chosenCase('hex')]],
  'the rate of one process': [{}, [hex()]],
  'the rate of all processes': [
    { rate: 2_000 },
    [hex({ ...fast, atRate: atRateOf(2_000, { achieved: 1_950 }) })],
  ],
  'far more than is needed': [{ rate: 50_000 }, [hex({ loops: [loopOf(1e6)] })]],
  'a busy machine': [{}, [hex({ loops: [loopOf(1_000)] })], busy],
  'a busy machine, and too slow': [{ rate: 2_000 }, [hex({ loops: [loopOf(1_000)] })], busy],
  'a run that withholds its advice': [{}, [hex()], { withheld: 'the run was stopped' }],
  'a rate that the machine cannot ask for': [
    { rate: 1_000, p99Ms: 5 },
    [hex({ atRate: { ...atRateOf(1_000, { achieved: 867, p99: 10 }), baseline: slow } })],
  ],
  'a latency of too few calls': [
    { rate: 1_000, p99Ms: 5 },
    [hex({ atRate: atRateOf(1_000, { latency: [1, 1, 1, null, null] }) })],
  ],
  'one that is proven': [
    { order: { cluster: 'k-sorted' } },
    [
      chosenCase('open', {}, { order: untested }),
      chosenCase('served', { backends: ['sql'] }, { order: orderOf() }),
    ],
  ],
  'a runner-up': [{}, [served, chosenCase('hex')]],
  'a runner-up that lacks something': [
    { type: 'string', sync: true },
    [chosenCase('lacking', { ...numbers, sync: false }), chosenCase('hex')],
  ],
  'two servers': [{}, [chosenCase('two', { sync: false, backends: ['redis', 'sql'] })]],
  'a refill that was not seen': [
    { rate: 1_000 },
    [chosenCase('served', { backends: ['sql'] }, { atRate: atRateOf(1_000, { refills: 3 }) })],
  ],
  'nothing that fits': [{ type: 'bigint', sync: true }, [chosenCase('hex', { sync: false })]],
  'nothing that fits, for outsiders': [
    { type: 'bigint', sync: true, public: true },
    [chosenCase('hex', { sync: false })],
  ],
  'unknown guarantees': [{}, [unknown]],
  'ids to obfuscate': [{ public: true, name: 'invoice' }, [telling]],
  'ids to obfuscate for outsiders only': [{ public: true, type: 'number' }, [telling]],
  'UUIDs to obfuscate for outsiders only': [{ public: true, order: { process: 'increasing' } }, [uuids]],
  'only one without obfuscation': [{ public: true }, [chosenCase('silent', numbers), telling]],
};

it('the advice', () => {
  page.section('The advice');
  for (const [what, args] of Object.entries(advised)) page.write(what, advise(...args).sentences.join('\n'));
});

it('why a strategy does not fit', () => {
  page.section('Why a strategy does not fit');
  const unfit: readonly Parameters<typeof advise>[] = [
    [{ rate: 2_000 }, [hex({ loops: [loopOf(1_999.4)] })]],
    [{ rate: 50_000, p99Ms: 5 }, [hex({ atRate: atRateOf(50_000, { p99: 7.2 }) })]],
    [{ rate: 50_000 }, [hex({ atRate: atRateOf(50_000, { overloaded: true, achieved: 31_000 }) })]],
    [{ rate: 50_000 }, [hex({ atRate: atRateOf(50_000, { errors: 3 }) })]],
    [{}, [hex({ status: 'failed', reason: 'a worker crashed' })]],
    [{}, [hex({ uniqueness: uniquenessOf(3) })]],
    [{}, [hex({ uniqueness: uniquenessOf(0, 8) })]],
    [{ type: 'number' }, [hex()]],
    [{ public: true }, [chosenCase('words', { text: words, discloses: ['time', 'host'] })]],
  ];
  for (const args of unfit) {
    const [{ unmet = [] } = {}] = advise(...args).fits;
    expect(unmet).not.toEqual([]);
    page.write(args[0], ...unmet);
  }
});

it('the report', () => {
  page.section('The report on a terminal');
  const atRate = resultFixture.cases.map((one) => ({ ...one, atRate: atRateOf(2_000, { p99: 3 }) }));
  const advisedBy = (needs: ServiceNeeds) => ({ advice: advise(needs, resultFixture.cases) });
  const runs: Readonly<Record<string, Partial<BenchResult>>> = {
    'a run': {},
    'a run at a rate': { cases: atRate as CaseResult[] },
    'a need that nothing proves': advisedBy({ rate: 2_000, p99Ms: 5 }),
    'a need that not all meet': advisedBy({ order: { cluster: 'real-time' } }),
    'a busy machine': { notComparable: 'load 3.1 on 2 cores' },
    'a run that was stopped': { incomplete: true, problems: ['quick-ids: 1 duplicate'] },
  };
  const paths = { html: 'bench-report/index.html', json: 'bench-report/result.json' };
  for (const [what, parts] of Object.entries(runs)) {
    const result = { ...resultFixture, ...parts };
    page.write(what, renderTerminal(result, reportOf(result), paths, { isTTY: false }));
  }
});

it('is on the page', () => page.compare({ codes: false }));
