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

type Part = Markup | string | number | readonly Part[];

/** A template tag: escapes every value that is not markup itself. Arrays are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, string, i) => text + show(parts[i - 1] ?? '') + string));
}

function show(part: Part): string {
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map(show).join('') : escapeHtml(String(part));
}
