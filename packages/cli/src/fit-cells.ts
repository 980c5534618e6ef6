/** A table of texts; the first line is its head. */
type Lines = readonly (readonly string[])[];

/** Columns are not made narrower than this, whatever the terminal. */
const NARROWEST = 6;

/** Columns that a table keeps when it is too wide; the others are put below each other in the last one. */
const KEPT = 2;

/**
 * The same table with its cells broken into lines, so that with a border and a space around each cell it
 * fits `columns` characters.
 */
export function fitCells(table: Lines, columns: number): string[][] {
  if (widthOf(naturalWidths(table)) <= columns) return table.map((line) => [...line]);
  const folded = (table[0]?.length ?? 0) > KEPT + 1 ? foldColumns(table) : table;
  const widths = naturalWidths(folded);
  while (widthOf(widths) > columns && Math.max(...widths) > NARROWEST) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return folded.map((line) => line.map((cell, index) => wrap(cell, widths[index] ?? NARROWEST)));
}

/** With the name of its column before each cell, except for the last one, which speaks for itself. */
function foldColumns([head = [], ...rows]: Lines): string[][] {
  const names = head.slice(KEPT);
  const fold = (line: readonly string[]): string =>
    line
      .slice(KEPT)
      .map((cell, index) => (index === names.length - 1 || cell === '' ? cell : `${names[index]}: ${cell}`))
      .filter((cell) => cell !== '')
      .join('\n');
  return [
    [...head.slice(0, KEPT), names.join(', ')],
    ...rows.map((line) => [...line.slice(0, KEPT), fold(line)]),
  ];
}

function naturalWidths(table: Lines): number[] {
  const widths: number[] = [];
  for (const line of table) {
    for (const [index, cell] of line.entries()) {
      const longest = Math.max(...cell.split('\n').map((text) => text.length));
      widths[index] = Math.max(widths[index] ?? 0, longest);
    }
  }
  return widths;
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + 3, 1);
}

/** Breaks between words, and words that are longer than a line where it ends. */
function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const lines = [''];
      for (const word of line.split(' ').flatMap((it) => piecesOf(it, width))) {
        const joined = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`;
        if (joined.length <= width) lines.splice(-1, 1, joined);
        else lines.push(word);
      }
      return lines;
    })
    .join('\n');
}

function piecesOf(word: string, width: number): string[] {
  return word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [''];
}
