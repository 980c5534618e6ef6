/** From one line of text to the next. */
export const LINE = 14;

/** The widest that a character is on average, of plain and of bold text. */
const CHARACTER = { plain: 6.6, bold: 7.4 };

export type Place = readonly [x: number, y: number];

/** The part of a picture within its axes; labels may go on beyond its `end`, up to `width`. */
interface Plot {
  readonly left: number;
  readonly end: number;
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
}

/** Lines of text; `y` is the base of the last one. */
interface Box {
  readonly left: number;
  readonly end: number;
  readonly y: number;
  readonly lines: number;
}

interface Mark extends Box {
  readonly text: string;
  /** From where to where it is drawn. */
  readonly line: readonly [x1: number, y1: number, x2: number, y2: number];
}

/** Names for lines across the plot, each beside its line, clear of the points and of each other. */
export function placeMarks(
  marks: readonly ({ readonly text: string } & ({ readonly x: number } | { readonly y: number }))[],
  points: readonly Place[],
  { left, end, top, bottom, width }: Plot,
): Mark[] {
  const taken = points.map(dot);
  return marks.map((mark) => {
    const { text } = mark;
    const long = text.length * CHARACTER.bold;
    const boxAt = (from: number, y: number): Box => ({
      left: Math.round(from),
      end: from + long,
      y,
      lines: 1,
    });
    const upright = 'x' in mark;
    const boxes = upright
      ? every(LINE / 2, bottom - 8, top + LINE).flatMap((y) =>
          [mark.x + 5, mark.x - 5 - long].map((from) => boxAt(from, y)),
        )
      : [
          ...every(LINE, end - 4 - long, left + 4).flatMap((from) =>
            [mark.y - 5, mark.y + LINE].map((y) => boxAt(from, y)),
          ),
          boxAt(Math.min(end + 4, width - long), mark.y + 4),
        ];
    const inside = boxes.filter(
      (box) =>
        box.left >= left && box.end <= (upright ? end : width) && box.y <= bottom - 4 && box.y >= top + 10,
    );
    const box = inside.find((one) => isFree(one, taken)) ?? inside[0] ?? boxAt(left + 4, bottom - 8);
    taken.push(box);
    const line = upright ? ([mark.x, top, mark.x, bottom] as const) : ([left, mark.y, end, mark.y] as const);
    return { ...box, text, line };
  });
}

/** From `first` down to `last`, both included. */
function every(step: number, first: number, last: number): number[] {
  return Array.from(
    { length: Math.max(0, Math.floor((first - last) / step) + 1) },
    (_, i) => first - i * step,
  );
}

interface Name {
  readonly lines: readonly (string | undefined)[];
  readonly bold: boolean;
  /** In their order; the name goes to the last one. */
  readonly points: readonly Place[];
}

/** Where the lines of a name are. */
export interface Label extends Box {
  readonly texts: readonly string[];
  /** From its point to the name, if that is not beside it. */
  readonly leader?: readonly [x1: number, y1: number, x2: number, y2: number];
}

/** Beside the last point of each name, or as near to it as nothing else is in the way. */
export function placeLabels(names: readonly Name[], marks: readonly Box[], plot: Plot): Label[] {
  const taken: Box[] = [...marks, ...names.flatMap(({ points }) => points.map(dot))];
  return names.map(({ lines, bold, points }) => {
    const texts = lines.filter((line) => line !== undefined);
    const [x, y] = points.at(-1) ?? [0, 0];
    const character = bold ? CHARACTER.bold : CHARACTER.plain;
    const long = Math.max(...texts.map((text) => text.length)) * character;
    const lefts = [Math.min(x + 10, plot.width - long), x - 10 - long].filter((left) => left >= plot.left);
    const beside = y + 4;
    const places = lefts.flatMap((left, side) =>
      heights(beside, texts.length, plot).map((at) => ({
        box: { left: Math.round(left), end: left + long, y: at, lines: texts.length },
        // The left of the point is worth two lines.
        cost: Math.abs(at - beside) + side * 2 * LINE,
      })),
    );
    const free = places.filter(({ box }) => isFree(box, taken));
    const { box } = (free.length > 0 ? free : places).reduce((a, b) => (b.cost < a.cost ? b : a));
    taken.push(box);
    const near = box.left > x ? box.left - 2 : Math.min(x, box.end);
    return { ...box, texts, ...(box.y !== beside && { leader: [x, y, near, box.y - 4] as const }) };
  });
}

/** Where the last line of a name can be, in half lines from `beside`. */
function heights(beside: number, lines: number, { top, bottom }: Plot): number[] {
  const most = Math.ceil((bottom - top) / (LINE / 2));
  return Array.from({ length: 2 * most + 1 }, (_, i) => beside + (i - most) * (LINE / 2)).filter(
    (at) => at === beside || (at - (lines - 1) * LINE >= top + 10 && at <= bottom - 2),
  );
}

function dot([x, y]: Place): Box {
  return { left: x - 5, end: x + 5, y: y + 4, lines: 1 };
}

function isFree(box: Box, taken: readonly Box[]): boolean {
  return !taken.some(
    (one) => one.left < box.end && box.left < one.end && !isAbove(one, box) && !isAbove(box, one),
  );
}

function isAbove(upper: Box, lower: Box): boolean {
  return upper.y + LINE - 1 <= lower.y - (lower.lines - 1) * LINE;
}
