import type { BenchResult } from '../schema/run.js';
import type { Block, Cell, Section, Table } from './blocks.js';
import { html, Markup } from './markup.js';
import type { Report } from './sections.js';
import { pageStyle } from './style.js';

/** The whole report as one page that needs nothing else: no font, no network, no script. */
export function renderPage({ startedAt }: Pick<BenchResult, 'startedAt'>, report: Report): string {
  const { notices, decision, details } = report;
  const links = details.map((one) => html` <li><a href="#${anchorOf(one)}">${one.title}</a></li>`);
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>ids bench, ${startedAt}</title><style>${new Markup(pageStyle)}</style></head>
<body>
<header><h1>ids bench</h1>
<p class="soft">Which ID strategy to choose, measured on this machine.</p></header>
<main>
${notices.map((one) => panel('bad', one))}
${decision ? firstScreen(report, decision) : ''}
<nav aria-labelledby="contents"><h2 id="contents">In this report</h2><ul>${links}</ul></nav>
${details.map((one, i) => folded(one, decision === undefined && i === 0))}
</main>
</body></html>
`.text;
}

/** What decides: the recommendation, one picture and one table. */
function firstScreen({ verdicts, picture }: Report, [table, notes]: readonly [Section, Section]): Markup {
  return html`<div class="first"><div>${verdicts.map((one) => panel('verdict', one))}</div>
${picture ?? ''}</div>
<section class="decision"><h2>${table.title}</h2>${[...table.blocks, notes].map(blockMarkup)}</section>`;
}

function panel(look: 'bad' | 'verdict', { title, blocks }: Section): Markup {
  return html`<section class="panel ${look}"><h2>${title}</h2>${blocks.map(blockMarkup)}</section>`;
}

/** The anchor is inside: following a link to it opens the section. */
function folded(section: Section, open: boolean): Markup {
  const start = open ? html`<details class="part" open>` : html`<details class="part">`;
  return html`${start}<summary><h2>${section.title}</h2></summary>
<div id="${anchorOf(section)}">${section.blocks.map(blockMarkup)}</div></details>`;
}

function blockMarkup(block: Block): Markup {
  if (block instanceof Markup) return block;
  if (typeof block === 'string') return html`<p>${block}</p>`;
  if ('groups' in block) return tableMarkup(block);
  if ('items' in block) return html`<ul>${block.items.map((item) => html`<li>${item}</li>`)}</ul>`;
  if ('code' in block) return html`<pre><code>${block.code}</code></pre>`;
  return html`<details><summary>${block.title}</summary>${block.blocks.map(blockMarkup)}</details>`;
}

/** `#latency-under-load` */
function anchorOf({ title }: Section): string {
  return title.toLowerCase().replaceAll(/[^a-z\d]+/g, '-');
}

/** It can be scrolled by keyboard where it is wider than the page. */
function tableMarkup({ caption, titles, groups }: Table): Markup {
  const bodies = groups.map(({ heading, rows }) =>
    heading === undefined
      ? html`<tbody>${rows.map(rowMarkup)}</tbody>`
      : html`<tbody class="group"><tr><th colspan="${titles.length}" scope="rowgroup"><span>${heading}</span></th></tr>${rows.map(rowMarkup)}</tbody>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
${bodies}</table></div>`;
}

function rowMarkup([first = '', ...rest]: readonly Cell[]): Markup {
  return html`<tr><th scope="row">${cellMarkup(first)}</th>${rest.map((cell) => html`<td>${cellMarkup(cell)}</td>`)}</tr>`;
}

function cellMarkup(cell: Cell): Markup {
  const { text, note = '', bad = false } = typeof cell === 'string' ? { text: cell } : cell;
  return html`${bad ? html`<strong class="bad">${text}</strong>` : text}${note && html`<small>${note}</small>`}`;
}
