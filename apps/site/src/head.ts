import { relative } from 'node:path/posix';
import type { HeadConfig, MarkdownRenderer, PageData } from 'vitepress';
import type { Address } from './address.js';
import { pageOf } from './pages.js';

/** Search engines show about so many characters. */
const LONGEST = 200;

/** The first paragraphs of files, by their paths in the repository: known once a page was rendered. */
export class Descriptions {
  readonly #byFile = new Map<string, string>();

  /** `root`: the folder of the repository. */
  collect(markdown: MarkdownRenderer, root: string): void {
    markdown.core.ruler.push('description', ({ tokens, env }) => {
      const path = env.realPath ?? env.path;
      // VitePress also renders titles, which have no file.
      if (path === undefined) return;
      const start = tokens.findIndex(({ type, level }) => type === 'paragraph_open' && level === 0);
      const parts = tokens[start + 1]?.children ?? [];
      const text = parts.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
      if (start >= 0) this.#byFile.set(relative(root, path), shortened(text));
    });
  }

  /** By the path of a page on the site: `choosing.md`. */
  ofPage(page: string): string | undefined {
    const [, description] = [...this.#byFile].find(([file]) => pageOf(file) === page) ?? [];
    return description;
  }

  of({ filePath, frontmatter }: PageData): string | undefined {
    return frontmatter.description ?? this.#byFile.get(filePath);
  }
}

/** Whole sentences if the first of them fits, otherwise whole words. */
function shortened(text: string): string {
  const plain = text
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (plain.length <= LONGEST) return plain.replace(/:$/, '.');
  const cut = plain.slice(0, LONGEST);
  const [sentences] = /^.*[.!?](?= )/.exec(cut) ?? [];
  return sentences !== undefined && sentences.length > 40 ? sentences : `${cut.replace(/[\s,;:]*\S*$/, '')}…`;
}

/** The address of a page; undefined if the site has none, or for the page of an unknown address. */
function addressOfPage({ relativePath }: PageData, { site }: Address): string | undefined {
  if (site === undefined || relativePath === '404.md') return undefined;
  return `${site}${relativePath.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;
}

/** What other sites show of a link to the page, and which of its addresses counts. */
export function headOf(page: PageData, description: string, address: Address): HeadConfig[] {
  const url = addressOfPage(page, address);
  const properties: Readonly<Record<string, string | undefined>> = {
    'og:site_name': 'ids',
    'og:type': page.relativePath === 'index.md' ? 'website' : 'article',
    'og:title': page.title,
    'og:description': description,
    'og:url': url,
    'og:image': address.site && `${address.site}report.png`,
    'og:image:alt': address.site && 'The report of the benchmark: p99 against the rate, by strategy',
  };
  return [
    ...Object.entries(properties).flatMap(([property, content]): HeadConfig[] =>
      content === undefined ? [] : [['meta', { property, content }]],
    ),
    [
      'meta',
      { name: 'twitter:card', content: address.site === undefined ? 'summary' : 'summary_large_image' },
    ],
    ...(url === undefined ? [] : ([['link', { rel: 'canonical', href: url }]] satisfies HeadConfig[])),
  ];
}
