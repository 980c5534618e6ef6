/** A line through points with positive coordinates; both axes are logarithmic. */
interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Panel {
  readonly title: string;
  /** What stands below the horizontal axis. */
  readonly along: string;
  readonly series: readonly Series[];
}

const WIDTH = 420;
const HEIGHT = 260;
const MARGIN = { left: 62, right: 16, top: 44, bottom: 42 };
const COLOURS = ['#1f6feb', '#bc4c00'];

/** The panels in rows of two, as an SVG image that is readable on light and dark pages. */
export function chart(panels: readonly Panel[]): string {
  const rows = Math.ceil(panels.length / 2);
  const drawn = panels.map(
    (panel, i) =>
      `<g transform="translate(${(i % 2) * WIDTH} ${Math.floor(i / 2) * HEIGHT})">${draw(panel)}</g>`,
  );
  const [width, height] = [2 * WIDTH, rows * HEIGHT];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11" role="img">
<title>How the cost of an ID grows with processes and sequences</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${drawn.join('\n')}
</svg>
`;
}

function draw({ title, along, series }: Panel): string {
  const all = series.flatMap(({ points }) => points);
  const x = axis(
    all.map(([value]) => value),
    MARGIN.left,
    WIDTH - MARGIN.right,
  );
  const y = axis(
    all.map(([, value]) => value),
    HEIGHT - MARGIN.bottom,
    MARGIN.top,
  );
  const [left, right, bottom] = [MARGIN.left, WIDTH - MARGIN.right, HEIGHT - MARGIN.bottom];
  const grid = [
    ...y.ticks.map((tick) => {
      const at = y.at(tick).toFixed(1);
      return `<path d="M${left} ${at}H${right}" stroke="#ddd"/><text x="${left - 6}" y="${at}" dy="4" text-anchor="end">${short(tick)}</text>`;
    }),
    ...x.ticks.map(
      (tick) =>
        `<text x="${x.at(tick).toFixed(1)}" y="${bottom + 16}" text-anchor="middle">${short(tick)}</text>`,
    ),
  ];
  const lines = series.map(({ name, points }, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const path = points.map(([px, py]) => `${x.at(px).toFixed(1)} ${y.at(py).toFixed(1)}`);
    const dots = path.map((at) => `<circle cx="${at.replace(' ', '" cy="')}" r="3" fill="${colour}"/>`);
    const label = `<text x="${left + 8 + i * 150}" y="${MARGIN.top - 8}" fill="${colour}">${name}</text>`;
    return `<path d="M${path.join('L')}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${label}`;
  });
  const heading = `<text x="${left}" y="18" font-size="13" font-weight="bold">${title}</text>`;
  const below = `<text x="${(left + right) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${along}</text>`;
  return [heading, ...grid, ...lines, below].join('\n');
}

/** Powers of ten around `values`, and where each value stands between `from` and `to`. */
function axis(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const ticks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  return { ticks, at: (value: number) => from + ((Math.log10(value) - low) / (high - low)) * (to - from) };
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`;
  if (value >= 1e3) return `${value / 1e3} k`;
  return String(Number(value.toPrecision(3)));
}
