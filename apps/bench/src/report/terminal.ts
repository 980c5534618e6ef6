import pc from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import { comparisonLines } from '../judge/compare.js';
import { type FitNotes, fitNotes, headlineLoop, headlineOf, whatItCosts } from '../judge/headline.js';
import { needsText } from '../judge/needs.js';
import { durationText, nanoseconds, quantity } from '../judge/words.js';
import type { Advice, BenchResult, CaseResult, MergedConfig } from '../result/types.js';
import { leftOutText } from './advice.js';
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
  const strategies = result.cases.filter(({ kind }) => kind === 'strategy');
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
  const fits = fitNotes(result.advice);
  return [
    speedTable(strategies, fits.cells, bold),
    fits.notes.flatMap((note) => broken(note, '', '  ')).join('\n'),
    trustTable(strategies, bold),
    ...result.advice.map((advice) => adviceText(advice, bold)),
    ...(result.config ? [configText(result.config, bold)] : []),
    wrap(bold('What the columns mean'), notes(strategies)),
    ...atRateText(result.cases, bold),
    ...openLoopText(result.cases, bold),
    wrap('What each one costs', strategies.map(whatItCosts)),
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

function speedTable(
  strategies: readonly CaseResult[],
  fits: FitNotes['cells'],
  bold: (text: string) => string,
): string {
  const head = ['strategy', 'fits', 'ids/s', 'vs control (95 %)', 'p50', 'p99', 'p99.9 at 80 %'];
  return textTable(
    head.map(bold),
    [17, 7, 9, 20, 9, 9, 9],
    strategies.map((result) => {
      const { name, idsPerSecond, ratio, control, p50, p99, tail } = headlineOf(result);
      const fit = fits.get(name) ?? '';
      if (result.status !== 'ok' && idsPerSecond === '')
        return [name, fit, statusText(result), '', '', '', ''];
      const rate = result.maxIdsPerSecond === undefined ? idsPerSecond : `${idsPerSecond} †`;
      return [name, fit, rate, `${ratio}\n${control}`, p50, p99, tail];
    }),
  );
}

function trustTable(strategies: readonly CaseResult[], bold: (text: string) => string): string {
  const head = ['strategy', 'order observed (claimed)', 'duplicates', 'lost per restart', 'id', 'discloses'];
  return textTable(
    head.map(bold),
    [17, 20, 14, 9, 9, 11],
    strategies.map((result) => {
      const { name, order, claimed, duplicates, lost, id, discloses } = headlineOf(result);
      return [name, `${order || statusText(result)}\n(${claimed})`, duplicates || '-', lost, id, discloses];
    }),
  );
}

function notes(strategies: readonly CaseResult[]): string[] {
  const [capped] = strategies.flatMap(({ maxIdsPerSecond }) => maxIdsPerSecond ?? []);
  return [
    'Without a backend: nextSync in bursts of 1,000 ids, p50 and p99 per id of such a burst. With one: next() by 16 callers in a closed loop, p50 and p99 per call; p99.9 in an open loop at 80 % of the capacity, if there were 10,000 calls.',
    ...(capped ? [`† in bursts: the format allows ${quantity(capped)} ids per second and process.`] : []),
    'Lost per restart: the most ids that are reserved but not issued at any moment, as the strategy guarantees; "bench faults" counts them.',
  ];
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

function configText({ text, leftOut }: MergedConfig, bold: (text: string) => string): string {
  const note = leftOutText(leftOut);
  return `${bold('ids.config.json')}\n${text}${note === undefined ? '' : `\n${broken(note, '', '').join('\n')}`}`;
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
