import pc from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import { comparisonLines } from '../judge/compare.js';
import {
  bestFirst,
  type FitNotes,
  fitNotes,
  HEADLINE_NOTES,
  type Headline,
  headlineLoop,
  headlineOf,
  headlineTitles,
  inUseOf,
} from '../judge/headline.js';
import { needsText } from '../judge/needs.js';
import { durationText, nanoseconds, quantity } from '../judge/words.js';
import type { Advice, MergedConfig } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import type { BenchResult } from '../schema/run.js';
import { missingText } from './advice.js';
import { claimsText } from './claims.js';
import { faultsText } from './faults.js';
import { indexText } from './index-cost.js';
import { atRateText, openLoopText } from './latency.js';
import type { ReportPaths } from './page.js';
import { broken, textTable, wrap } from './text.js';

export interface TerminalStream {
  readonly isTTY?: boolean | undefined;
}

/**
 * The decision table and what goes with it, at most 80 columns wide; in colour on a
 * terminal unless NO_COLOR is set.
 */
export function renderTerminal(result: BenchResult, paths: ReportPaths, stream: TerminalStream): string {
  const colors = pc.createColors(stream.isTTY === true && !process.env.NO_COLOR);
  const strategies = bestFirst(result);
  const parts = [
    header(result, colors.bold),
    result.notComparable &&
      colors.yellow(
        wrap(`NOT COMPARABLE: ${result.notComparable}`, [
          'Other programs were busy on this machine: times and rates mean little. Results on uniqueness and order are valid.',
        ]),
      ),
    result.incomplete &&
      colors.yellow('The run was stopped: the figures cover what was measured until then.'),
    result.claims && claimsText(result.claims, colors),
    result.faults && faultsText(result.faults, colors.bold),
    result.indexCosts && indexText(result.indexCosts, colors.bold),
    ...(strategies.length > 0 ? strategyParts(result, strategies, colors) : []),
    result.comparison &&
      wrap(`Compared with the run of ${result.comparison.with}`, comparisonLines(result.comparison)),
    result.problems.length > 0 && colors.red(wrap('Wrong', result.problems)),
    `report  ${paths.html}\ndata    ${paths.json}${paths.config ? `\nconfig  ${paths.config}` : ''}`,
  ];
  return `\n${parts.filter(Boolean).join('\n\n')}\n`;
}

function strategyParts(
  result: BenchResult,
  strategies: readonly CaseResult[],
  { bold }: Pick<Colors, 'bold'>,
): string[] {
  const inUse = inUseOf(result.cases);
  const fits = fitNotes(result.advice, inUse);
  const [speed, ...trust] = decisionTables(strategies, inUse, fits.cells, bold);
  return [
    speed ?? '',
    fits.notes.flatMap((note) => broken(note, '', '  ')).join('\n'),
    ...trust,
    ...result.advice.map((advice) => adviceText(advice, bold)),
    ...(result.config ? [configText(result.config, bold)] : []),
    wrap(bold('What the columns mean'), HEADLINE_NOTES),
    ...atRateText(result.cases, bold),
    ...openLoopText(result.cases, bold),
    wrap('Compared with (in the same run)', [controlsLine(result)]),
  ];
}

function header(result: BenchResult, bold: (text: string) => string): string {
  const { profile, seconds, processes, environment } = result;
  const { node, redis, postgres, cores, load, cpu } = environment;
  const parts = [
    profile.name,
    durationText(seconds),
    `node ${node}`,
    redis && `redis ${redis}`,
    postgres && `postgres ${postgres}`,
  ];
  const machine = `${cores} cores (${cpu}), load ${load.before} before, ${load.after} after`;
  return [
    `${bold('ids bench')}  ${parts.filter(Boolean).join(' · ')}`,
    ...broken(`${machine} · ${processes} processes`, '', ''),
  ].join('\n');
}

function decisionTables(
  strategies: readonly CaseResult[],
  inUse: readonly CaseResult[],
  fits: FitNotes['cells'],
  bold: (text: string) => string,
): string[] {
  const rate = strategies.find(({ atRate }) => atRate !== undefined)?.atRate?.rate;
  const titles = headlineTitles(rate);
  const all = [...strategies, ...inUse];
  const speed = textTable(
    [titles.name, 'fits', titles.most, titles.p99, titles.order].map(bold),
    [18, 8, 17, 15, 22],
    all.map((result) => {
      const { name, most, p99, order } = headlineOf(result, rate);
      const trouble = result.status === 'ok' ? '' : `\n${statusText(result)}`;
      return [`${name.text}${trouble}`, fits.get(result.name) ?? '', both(most), both(p99), both(order)];
    }),
  );
  const trust = textTable(
    [titles.name, titles.unique, titles.lost, titles.column, titles.needs, titles.discloses].map(bold),
    [18, 14, 12, 12, 13, 11],
    all.map((result) => {
      const { name, unique, lost, column, needs, discloses } = headlineOf(result, rate);
      return [name.text, ...[unique, lost, column, needs, discloses].map(both)];
    }),
  );
  const names = inUse.map((result) => headlineOf(result).name.text);
  const note = `For comparison, people already use ${names.join(', ')}: speed as measured here; the rest by specification, not tested.`;
  return [speed, trust, ...(names.length > 0 ? [broken(note, '', '').join('\n')] : [])];
}

function both({ text, note }: Headline['name']): string {
  return note === '' ? text : `${text}\n(${note})`;
}

function controlsLine({ cases }: BenchResult): string {
  return cases
    .filter(({ kind }) => kind === 'control')
    .map((control) => {
      const loop = headlineLoop(control);
      if (control.sync) return `${control.name} ${nanoseconds(control.sync.ns.median)}`;
      return `${control.name} ${loop ? `${quantity(loop.idsPerSecond.median)}/s` : control.status}`;
    })
    .join(' · ');
}

function statusText({ status }: CaseResult): string {
  return status === 'ok' ? '-' : status === 'invalid' ? 'INVALID' : status;
}

function configText(config: MergedConfig, bold: (text: string) => string): string {
  const note = missingText(config);
  return `${bold('ids.config.json')}\n${config.text}${note === '' ? '' : `\n${broken(note, '', '').join('\n')}`}`;
}

/** The recommendation for one set of needs, and the config to copy. */
function adviceText({ needs, sentences, config }: Advice, bold: (text: string) => string): string {
  const wanted =
    needsText(needs) || 'none stated; see --help for --rate, --order, --type, --reveals, --offline';
  const title = needs.name === undefined ? 'Recommendation' : `Recommendation for "${needs.name}"`;
  return [
    wrap(bold(title), [`Needs: ${wanted}.`, ...sentences]),
    config && `${bold('ids.config.json')}\n${config}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}
