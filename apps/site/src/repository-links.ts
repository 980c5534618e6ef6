import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';
import type { MarkdownRenderer } from 'vitepress';
import type { Address } from './address.js';
import { pageOf } from './pages.js';

/**
 * Makes links between files of the repository into links between pages, so that the same Markdown works in
 * both places: `../packages/encode`, `../CONTRIBUTING.md#layers`. Links to its other files stay plain text if
 * it has no public home. `root`: the folder of the repository.
 */
export function repositoryLinks(markdown: MarkdownRenderer, root: string, address: Address): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const path = env.realPath ?? env.path;
    // VitePress also renders titles, which have no links and no file.
    if (path === undefined) return;
    const from = relative(root, path);
    for (const { children } of tokens) {
      // Of the links around the present token; markdown-it nests none, so there is one at most.
      let stays = true;
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (href !== null && !/^([a-z]+:|#|\/)/.test(href)) {
          const target = targetOf(href, from, root, address);
          stays = target !== undefined;
          if (target !== undefined) token.attrSet('href', target);
        }
        if (!stays && token.type.startsWith('link_')) becomeSpan(token);
        if (token.type === 'span_close') stays = true;
      }
    }
  });
}

function becomeSpan(token: { type: string; tag: string; attrs: unknown[] | null }): void {
  token.type = token.type.replace('link', 'span');
  token.tag = 'span';
  token.attrs = null;
}

/** Undefined for a file that has no page; throws if there is no such file. */
function targetOf(href: string, from: string, root: string, { repository }: Address): string | undefined {
  const [, path = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  const file = join(dirname(from), decodeURIComponent(path)).replace(/\/$/, '');
  if (!existsSync(join(root, file))) throw new Error(`${from}: the link ${href} leads to no file`);
  const page = [file, join(file, 'README.md')]
    .filter((candidate) => existsSync(join(root, candidate)))
    .map(pageOf)
    .find((candidate) => candidate !== undefined);
  if (page !== undefined) return `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}${hash}`;
  if (file === 'docs/decisions') return '/decisions';
  return repository === undefined ? undefined : `${repository}/blob/main/${file}${hash}`;
}
