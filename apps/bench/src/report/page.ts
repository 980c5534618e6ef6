import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { comparisonLines } from '../judge/compare.js';
import { toJson } from '../result/files.js';
import { commandOf, PARTS, type Part, partsOf, shellCommand } from '../result/parts.js';
import type { BenchResult, Environment, RunResult } from '../schema/run.js';
import { claimsSection } from './claims.js';
import { faultsSection } from './faults.js';
import { indexSection } from './index-cost.js';
import { anchorOf, html, Markup, type Section, table } from './markup.js';
import { firstScreen, strategySections } from './strategies.js';
import { pageStyle } from './style.js';

export interface ReportPaths {
  readonly html: string;
  readonly json: string;
  /** Of the merged config, if there is one. */
  readonly config?: string;
}

/**
 * Writes `index.html`, `result.json` and, with `--config`, `ids.config.json` into `dir`, and creates the
 * folder if necessary.
 */
export async function writeReport(result: BenchResult, dir: string): Promise<ReportPaths> {
  const paths = { html: join(dir, 'index.html'), json: join(dir, 'result.json') };
  const json = toJson(result);
  await mkdir(dir, { recursive: true });
  await writeFile(paths.json, json);
  // From the JSON text, so that the page shows exactly what the file holds.
  await writeFile(paths.html, renderHtml(JSON.parse(json)));
  if (result.config === undefined) return paths;
  const config = join(dir, 'ids.config.json');
  await writeFile(config, `${result.config.text}\n`);
  return { ...paths, config };
}

/** The whole report as one page that needs nothing else: no font, no network. */
export function renderHtml(result: BenchResult): string {
  const parts = partsOf(result);
  const found = PARTS.flatMap((part) => parts[part] ?? []);
  const missing = PARTS.filter((part) => parts[part] === undefined);
  const sections = [
    ...found.flatMap(measured),
    ...comparisonSection(result),
    { title: 'Environment', body: environmentTable(found) },
    ...moreToFind(missing, result),
  ];
  // Without a first screen, the page begins with what the last command found.
  const opened = parts.run ? '' : measured(result)[0]?.title;
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>ids bench, ${result.startedAt}</title><style>${new Markup(pageStyle)}</style></head>
<body>
<header><h1>ids bench</h1>
<p class="soft">Which ID strategy to choose, measured on this machine.</p></header>
<main>
${found.map(notices)}
${parts.run ? firstScreen(parts.run) : ''}
${contents(sections)}
${sections.map((one) => folded(one, one.title === opened))}
</main>
</body></html>
`;
  return page.text;
}

/** What one command found. */
function measured(run: RunResult): Section[] {
  if (run.faults) return [faultsSection(run.faults)];
  if (run.indexCosts) return [indexSection(run.indexCosts)];
  return run.claims ? [claimsSection(run.claims)] : strategySections(run);
}

function comparisonSection({ comparison }: BenchResult): Section[] {
  if (comparison === undefined) return [];
  const lines = comparisonLines(comparison).map((line) => html`<li>${line}</li>`);
  return [{ title: `Compared with the run of ${comparison.with}`, body: html`<ul>${lines}</ul>` }];
}

function contents(sections: readonly Section[]): Markup {
  const links = sections.map((one) => html` <li><a href="#${anchorOf(one)}">${one.title}</a></li>`);
  return html`<nav aria-labelledby="contents"><h2 id="contents">In this report</h2><ul>${links}</ul></nav>`;
}

/** The anchor is inside: following a link to it opens the section. */
function folded(section: Section, open: boolean): Markup {
  const start = open ? html`<details class="part" open>` : html`<details class="part">`;
  return html`${start}<summary><h2>${section.title}</h2></summary>
<div id="${anchorOf(section)}">${section.body}</div></details>`;
}

function notices(run: RunResult): Markup {
  const { incomplete, notComparable, problems, cases } = run;
  const skipped = cases.filter(({ status }) => status === 'skipped');
  const which = commandOf(run);
  return html`${notComparable ? html`<p class="panel bad">${which}: NOT COMPARABLE: ${notComparable}. Other programs were busy on this machine: times and rates mean little. Results on uniqueness and order are valid.</p>` : ''}
${incomplete ? html`<p class="panel bad">${which}: The run was stopped: the figures cover what was measured until then.</p>` : ''}
${problems.length > 0 ? html`<section class="panel bad"><h2>Wrong</h2><ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul></section>` : ''}
${skipped.length > 0 ? html`<section class="panel"><h2>Skipped</h2><ul>${skipped.map(({ name, reason }) => html`<li>${name}: ${reason ?? ''}</li>`)}</ul></section>` : ''}`;
}

const FINDS: Readonly<Record<Part, string>> = {
  run: 'which strategy to choose; speed, latency, uniqueness and order',
  faults: 'duplicate and lost ids when servers or processes fail',
  index: 'the cost of ids as a primary key',
  claims: 'whether packages are as fast as their READMEs say',
};

function moreToFind(missing: readonly Part[], run: RunResult): Section[] {
  const found = missing.flatMap((part) => {
    const command = shellCommand(part, run);
    return command === undefined ? [] : html`<li><code>${command}</code>: ${FINDS[part]}</li>`;
  });
  if (found.length === 0) return [];
  const body = html`<ul>${found}</ul>
<p class="soft">Each command adds its results to the report in the same folder, if commit, Node.js and machine are the same.</p>`;
  return [{ title: 'Not in this report yet', body }];
}

/** One column for each run; all are of one machine. */
function environmentTable(runs: readonly RunResult[]): Markup {
  const rows: [string, (run: RunResult) => string][] = [
    ['Started', ({ startedAt }) => startedAt],
    ['Took', ({ seconds, profile }) => `${seconds.toFixed(1)} s, profile ${profile.name}`],
    ['Machine', ({ environment }) => machineText(environment)],
    ['Load average (1 min)', ({ environment: { load } }) => `${load.before} before, ${load.after} after`],
    ['Node', ({ environment }) => environment.node],
    ['Redis', ({ environment }) => environment.redis ?? 'not used'],
    ['Postgres', ({ environment }) => environment.postgres ?? 'not used'],
    ['Version of the bench', ({ environment }) => environment.version ?? 'unknown'],
    ['Commit', ({ environment }) => environment.gitCommit ?? 'unknown'],
    ['Seed of the bootstrap', ({ seed }) => String(seed)],
  ];
  return table(
    'Where and when',
    ['', ...runs.map(commandOf)],
    rows.map(([title, of]) => [title, ...runs.map(of)]),
  );
}

function machineText({ cpu, cores, memoryBytes, os }: Environment): string {
  return `${cpu}, ${cores} cores, ${(memoryBytes / 2 ** 30).toFixed(1)} GiB, ${os}`;
}
