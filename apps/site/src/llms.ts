/** Sections for contributors and doubters, which a reader with little room leaves out. */
const OPTIONAL: readonly string[] = ['Contribute', 'Tests and measurements', 'Decisions'];

/**
 * `llms.txt` of vitepress-plugin-llms in the form of https://llmstxt.org: a section for each group of the
 * sidebar, `Optional` last, and after each link the first sentence of the page. `base`: the path of the site,
 * with a slash at both ends. `describe` gets the path of a page on the site, such as `choosing.md`.
 */
export function listedForModels(
  text: string,
  base: string,
  describe: (page: string) => string | undefined,
): string {
  const [head = '', ...sections] = text.split(/^### /m);
  const described = sections.map((section) =>
    section.replace(/^- \[.+\]\((\S+)\)$/gm, (line, url: string) => {
      const page = new URL(url, 'https://site.invalid').pathname.slice(base.length);
      const description = describe(page);
      return description === undefined ? line : `${line}: ${firstSentence(description)}`;
    }),
  );
  const isOptional = (section: string): boolean => OPTIONAL.includes(titleOf(section));
  const optional = described
    .filter(isOptional)
    .map((section) => section.slice(titleOf(section).length).trim());
  return [
    head.replace(/^## .*$/m, '').trim(),
    ...described.filter((section) => !isOptional(section)).map((section) => `## ${section.trim()}`),
    ...(optional.length === 0 ? [] : [`## Optional\n\n${optional.join('\n')}`]),
  ]
    .join('\n\n')
    .concat('\n');
}

function titleOf(section: string): string {
  return section.split('\n', 1)[0] ?? '';
}

/**
 * A capital letter or a mark follows, so that it is not the end of an abbreviation or of a number. A label
 * such as `Context.` is no sentence.
 */
function firstSentence(text: string): string {
  const [first = text] = /^.{12,}?[.!?](?= [^a-z0-9])/.exec(text) ?? [];
  return first;
}
