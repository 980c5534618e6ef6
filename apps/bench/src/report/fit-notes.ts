import type { Advice, Fit } from '../result.js';

/** The column "fits" of the decision table. */
export interface FitNotes {
  /** By strategy: `yes`, or `no¹` with a footnote. */
  readonly cells: ReadonlyMap<string, string>;
  /**
   * `¹ order across processes: needs real-time, offers k-sorted`; strategies with the same reason share one.
   */
  readonly notes: readonly string[];
}

const DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const WHEN_OBFUSCATED =
  'when obfuscated: strangers see its ids through @ids/encode, { as: "crockford", obfuscate: true, key }, and learn nothing from them';

/** With several sets of needs a cell counts how many of them are met, and the footnotes name them. */
export function fitNotes(advice: readonly Advice[]): FitNotes {
  const notes: string[] = [];
  const markOf = (note: string): string => {
    if (!notes.includes(note)) notes.push(note);
    return superscript(notes.indexOf(note) + 1);
  };
  const strategies = new Set(advice.flatMap(({ fits }) => fits.map(({ strategy }) => strategy)));
  const cells = [...strategies].map((strategy): [string, string] => {
    const found = advice.flatMap(({ needs, fits }) =>
      fits.filter((fit) => fit.strategy === strategy).map((fit) => ({ name: needs.name, fit })),
    );
    const marks = found.flatMap(({ name, fit }) => {
      const note = noteOf(fit);
      return note === undefined ? [] : [markOf(name === undefined ? note : `${name}: ${note}`)];
    });
    const met = found.filter(({ fit }) => fit.unmet.length === 0).length;
    const text = found.length > 1 ? `${met} of ${found.length}` : met === 1 ? 'yes' : 'no';
    return [strategy, `${text}${marks.join(' ')}`];
  });
  return { cells: new Map(cells), notes: notes.map((note, i) => `${superscript(i + 1)} ${note}`) };
}

function noteOf({ unmet, obfuscate }: Fit): string | undefined {
  if (unmet.length > 0) return unmet.join('; ');
  return obfuscate ? WHEN_OBFUSCATED : undefined;
}

function superscript(number: number): string {
  return String(number).replace(/\d/g, (digit) => DIGITS[Number(digit)] ?? digit);
}
