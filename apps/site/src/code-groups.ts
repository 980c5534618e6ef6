import type { MarkdownRenderer } from 'vitepress';

type Tokens = ReturnType<MarkdownRenderer['parse']>;

/**
 * Shows blocks of code that follow each other as tabs, if each has a label: `[npm]` after its language, or
 * before it a paragraph that is one link. GitHub shows them one below the other.
 */
export function codeGroups(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('code-groups', (state) => {
    const result: Tokens = [];
    for (let at = 0; at < state.tokens.length; ) {
      const tabs = tabsFrom(state.tokens, at);
      if (tabs.length < 2) result.push(...state.tokens.slice(at, ++at));
      else {
        result.push(new state.Token('container_code-group_open', 'div', 1), ...tabs.map(codeOf));
        result.push(new state.Token('container_code-group_close', 'div', -1));
        at += tabs.flat().length;
      }
    }
    state.tokens = result;
  });
}

/** The tokens of each tab, of which the last is the code. */
function tabsFrom(tokens: Tokens, start: number): Tokens[] {
  const types = tokens.slice(start, start + 4).map(({ type }) => type);
  const link = tokens[start + 1]?.children?.map(({ type }) => type).join();
  const hasLink =
    `${types}` === 'paragraph_open,inline,paragraph_close,fence' && link === 'link_open,text,link_close';
  const hasLabel = types[0] === 'fence' && /\[.+\]/.test(tokens[start]?.info ?? '');
  const length = hasLink ? 4 : hasLabel ? 1 : 0;
  return length === 0 ? [] : [tokens.slice(start, start + length), ...tabsFrom(tokens, start + length)];
}

/** VitePress reads the label from the code's `info`. */
function codeOf(tab: Tokens): Tokens[number] {
  const [code] = tab.slice(-1) as [Tokens[number]];
  if (tab.length > 1) code.info += ` [${tab[1]?.children?.[1]?.content}]`;
  return code;
}
