import Table from 'cli-table3';

const WIDTH = 80;

/** A table aligned with spaces; `colWidths` must add up to at most `WIDTH`. */
export function textTable(head: string[], colWidths: number[], rows: readonly string[][]): string {
  const none = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left'];
  const others = ['bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'];
  const built = new Table({
    head,
    colWidths: colWidths.map((width) => width - 1),
    wordWrap: true,
    chars: Object.fromEntries([...none, ...others].map((part) => [part, part === 'middle' ? ' ' : ''])),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  built.push(...rows.map((row) => row.map((cell) => cell.trimEnd())));
  return built
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A title with indented paragraphs below it. */
export function wrap(title: string, texts: readonly string[]): string {
  return [title, ...texts.filter(Boolean).flatMap((text) => broken(text, '  ', '    '))].join('\n');
}

/** Breaks a text at spaces; a word that is too long gets a line of its own. */
export function broken(text: string, firstIndent: string, indent: string): string[] {
  const lines: string[] = [];
  let line = firstIndent;
  let empty = true;
  for (const word of text.split(/\s+/)) {
    if (!empty && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = indent;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
