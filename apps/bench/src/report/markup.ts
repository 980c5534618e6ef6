import { nameLines } from '../judge/words.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML, SVG and quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Markup that is safe to insert into a page unchanged. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Markup | string | number | readonly Part[];

/** A template tag: escapes every value that is not markup itself. Arrays are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, string, i) => text + show(parts[i - 1] ?? '') + string));
}

function show(part: Part): string {
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map(show).join('') : escapeHtml(String(part));
}

/** The name of a case as the first cell of a row, with its options on a line of their own. */
export function nameCell(name: string): Markup {
  const [strategy, options] = nameLines(name);
  return html`${strategy}${options === undefined ? '' : html`<small>with ${options}</small>`}`;
}

/** A part of the page below the first screen. `body` holds everything but its heading. */
export interface Section {
  readonly title: string;
  readonly body: Markup;
}

/** `#latency-under-load` */
export function anchorOf({ title }: Section): string {
  return title.toLowerCase().replaceAll(/[^a-z\d]+/g, '-');
}

export type Cell = Markup | string;

export function table(caption: string, head: readonly string[], rows: readonly (readonly Cell[])[]): Markup {
  return tableWith(caption, head, html`<tbody>${rows.map(tableRow)}</tbody>`);
}

/** With a body of its own. It can be scrolled by keyboard where it is wider than the page. */
export function tableWith(caption: string, head: readonly string[], body: Markup): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${head.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
${body}</table></div>`;
}

export function tableRow([first = '', ...rest]: readonly Cell[]): Markup {
  return html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}
