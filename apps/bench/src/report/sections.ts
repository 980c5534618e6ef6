import { needsText } from '../judge/needs.js';
import type { Advice } from '../schema/advice.js';
import type { BenchResult } from '../schema/run.js';
import { listed, type Section } from './blocks.js';
import { order, uniqueness } from './checks.js';
import { columnNotes, decision } from './decision.js';
import { faults } from './faults.js';
import { keyed } from './keyed.js';
import { atRate, underLoad } from './latency.js';
import type { Markup } from './markup.js';
import { environment, method } from './method.js';
import { ratePicture } from './rate-chart.js';
import { throughput } from './throughput.js';

/** What a command reports, whichever it is. */
export interface Report {
  /** What must be known before any figure: what is wrong, and what the figures are worth. */
  readonly notices: readonly Section[];
  /** What decides, for the terminal and the first screen of the page. */
  readonly verdicts: readonly Section[];
  /** The table, and what its columns mean. */
  readonly decision?: readonly [table: Section, notes: Section];
  readonly picture?: Markup;
  /** Further sections, of which the terminal shows those with columns for it. */
  readonly details: readonly Section[];
}

export function reportOf(result: BenchResult): Report {
  const { cases, faults: injected, advice } = result;
  const notices = noticesOf(result);
  if (advice === undefined) {
    const own = injected ? faults(injected) : keyed(cases);
    return { notices, verdicts: [], details: [own, environment(result)] };
  }
  const strategies = cases.filter(({ kind }) => kind === 'strategy');
  return {
    notices,
    verdicts: [adviceSection(advice, result.config)],
    decision: [decision(result), columnNotes],
    picture: ratePicture(result),
    details: [
      ...atRate(cases),
      ...throughput(cases),
      ...underLoad(cases),
      uniqueness(strategies),
      order(strategies),
      method(result),
      environment(result),
    ],
  };
}

export function noticesOf(
  run: Pick<BenchResult, 'incomplete' | 'notComparable' | 'problems' | 'cases'>,
): Section[] {
  const { incomplete, notComparable, problems, cases } = run;
  const busy =
    'Other programs were busy on this machine: times and rates mean little. Results on uniqueness and order are valid.';
  const stopped = 'The figures cover what was measured until then.';
  const skipped = cases.filter(({ status }) => status === 'skipped');
  return [
    ...(notComparable ? [{ title: `NOT COMPARABLE: ${notComparable}`, blocks: [busy] }] : []),
    ...(incomplete ? [{ title: 'The run was stopped', blocks: [stopped] }] : []),
    ...listed('Wrong', problems),
    ...listed(
      'Skipped',
      skipped.map(({ name, reason }) => `${name}: ${reason}`),
    ),
  ];
}

/** What to choose, and a config for it. */
function adviceSection({ needs, sentences }: Advice, config: string | undefined): Section {
  const [headline = 'No strategy was measured.', ...others] = sentences;
  const none = 'none stated; see --help for --rate, --order, --type, --reveals, --offline';
  const copy =
    config === undefined ? [] : [{ title: 'Copy into ids.config.json', blocks: [{ code: config }] }];
  return {
    title: headline.replace(/\.$/, ''),
    blocks: [`Needs: ${needsText(needs) || none}.`, ...others, ...copy],
  };
}
