import { count, nanoseconds, quantity } from '../judge/words.js';
import { PERCENTILES } from '../measure/latencies.js';
import type { CaseResult } from '../schema/case.js';
import { html, nameCell, type Section, table } from './markup.js';
import { broken, textTable } from './text.js';

/** What the strategies did at the rate that the service needs; empty if it stated none. */
export function atRateSection(cases: readonly CaseResult[]): Section[] {
  const rows = atRateRows(cases);
  if (rows.length === 0) return [];
  const body = html`<p>${AT_RATE}</p>
${table(
  atRateTitle(cases),
  ['ids', ...AT_RATE_COLUMNS],
  rows.map(([name = '', ...figures]) => [nameCell(name), ...figures]),
)}`;
  return [{ title: 'At your rate', body }];
}

/** The same for the terminal. */
export function atRateText(cases: readonly CaseResult[], bold: (text: string) => string): string[] {
  const rows = atRateRows(cases);
  if (rows.length === 0) return [];
  const head = [atRateTitle(cases), ...AT_RATE_COLUMNS].map(bold);
  return [[textTable(head, [20, 10, 10, 11, 10, 9, 10], rows), ...broken(AT_RATE, '', '')].join('\n')];
}

const AT_RATE_COLUMNS = ['p50', 'p99', 'worst block', 'p99.9', 'max', 'failed calls'];

const AT_RATE =
  'Open loop: calls at fixed times in each process, with nextSync where there is one. Latency from the intended start of each call, over all calls of the process that was worst. Worst block: the p99 of the worst fifth of the time.';

function atRateTitle(cases: readonly CaseResult[]): string {
  const [one] = cases.flatMap(({ atRate }) => atRate ?? []);
  return one === undefined ? '' : `at ${quantity(one.rate)} ids/s in ${one.processes} processes`;
}

function atRateRows(cases: readonly CaseResult[]): string[][] {
  const found = cases.flatMap(({ name, alternative, atRate }) =>
    atRate === undefined ? [] : { name: alternative?.name ?? name, ...atRate },
  );
  const [first] = found;
  if (first === undefined) return [];
  // What no strategy can undercut on this machine.
  return [...found, { name: 'ids that cost nothing', ...first.floor }].map((load) => {
    const { name, latency, p99OfWorstBlock, max, errors, calls, overloaded, achieved } = load;
    const [p50 = '', , , p99 = '', p999 = ''] = latency.map(latencyText);
    const failed = errors === 0 ? '0' : `${count(errors)} of ${count(calls)}`;
    const note = overloaded ? `${failed}; overloaded, ${quantity(achieved)} ids/s` : failed;
    return [name, p50, p99, latencyText(p99OfWorstBlock), p999, nanoseconds(max), note];
  });
}

/** The latency of independent callers. */
export function latencySection(cases: readonly CaseResult[]): Section[] {
  const measured = cases.filter(({ openLoops = [] }) => openLoops.length > 0);
  if (measured.length === 0) return [];
  const body = html`<p>Open loop: calls at fixed times, at shares of what closed loops achieved; latency counts from the intended start
of each call, so a stall affects all calls that were due during it. Percentiles are those of all calls of all blocks.</p>
${table(
  'Open loops; p99.9 if there were 10,000 calls',
  [
    'case',
    'load',
    'calls/s',
    ...PERCENTILES.map((one) => `p${one}`),
    'p99 of the worst block',
    'max',
    'calls',
  ],
  measured.flatMap(({ name, openLoops = [] }) =>
    openLoops.map(({ share, rate, latency, p99OfWorstBlock, max, calls, overloaded }) => [
      nameCell(name),
      `${Math.round(share * 100)} %${overloaded ? ', overloaded' : ''}`,
      quantity(rate),
      ...latency.map(latencyText),
      latencyText(p99OfWorstBlock),
      nanoseconds(max),
      count(calls),
    ]),
  ),
)}`;
  return [{ title: 'Latency under load', body }];
}

/** The load in the terminal; the page also shows the others. */
const QUOTED_SHARE = 0.8;

/** The latency of independent callers; empty if no case has a backend. */
export function openLoopText(cases: readonly CaseResult[], bold: (text: string) => string): string[] {
  const rows = cases.flatMap(({ name, openLoops = [] }) => {
    const quoted = openLoops.find(({ share }) => share === QUOTED_SHARE);
    if (quoted === undefined) return [];
    const [p50, , , p99, p999] = quoted.latency.map(latencyText);
    const worst = latencyText(quoted.p99OfWorstBlock);
    const overloaded = quoted.overloaded ? 'overloaded' : '';
    return [[name, quantity(quoted.rate), p50 ?? '', p99 ?? '', worst, p999 ?? '', overloaded]];
  });
  if (rows.length === 0) return [];
  const head = ['at 80 % of capacity', 'calls/s', 'p50', 'p99', 'worst block', 'p99.9', ''].map(bold);
  return [`${textTable(head, [20, 9, 9, 9, 11, 9, 13], rows)}\n\n${broken(OPEN_LOOP, '', '').join('\n')}`];
}

const OPEN_LOOP =
  'Open loop: latency from the intended start of each call, over all calls of all blocks. Worst block: its p99 there.';

/** `-` if there were too few calls. */
function latencyText(latency: number | null): string {
  return latency === null ? '-' : nanoseconds(latency);
}
