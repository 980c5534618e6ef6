import type { GeneratorStatus } from './api.js';
import { svgElement } from './dom.js';
import { count } from './format.js';

const [WIDTH, BARS, MARKS] = [180, 26, 5] as const;

/** Ids of five minutes as bars, and refills as marks below. The same elements are changed each time. */
export class Chart {
  readonly element: SVGElement;
  readonly #bars: SVGElement[] = [];
  readonly #marks: SVGElement[] = [];

  constructor() {
    const height = BARS + MARKS + 2;
    this.element = svgElement('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', class: 'chart' });
    this.element.append(
      svgElement('line', { x1: 0, x2: WIDTH, y1: BARS + 0.5, y2: BARS + 0.5, class: 'axis' }),
    );
  }

  update({ ids, refills, stepSeconds }: GeneratorStatus['recent']): void {
    const most = Math.max(...ids, 1);
    const width = WIDTH / ids.length;
    for (const [i, value] of ids.entries()) {
      const height = value === 0 ? 0 : Math.max(1, (value / most) * BARS);
      const bar = this.#at(this.#bars, i, 'bar');
      place(bar, { x: i * width, y: BARS - height, width: width - 0.75, height });
      place(this.#at(this.#marks, i, 'refill'), {
        x: i * width,
        y: BARS + 2,
        width: width - 0.75,
        height: (refills[i] ?? 0) > 0 ? MARKS : 0,
      });
    }
    const minutes = (ids.length * stepSeconds) / 60;
    const sum = (values: readonly number[]) => count(values.reduce((total, value) => total + value, 0));
    const label = `${sum(ids)} IDs and ${sum(refills)} refills in ${minutes} minutes`;
    this.element.setAttribute('aria-label', label);
  }

  #at(elements: SVGElement[], i: number, name: string): SVGElement {
    const found = elements[i] ?? svgElement('rect', { class: name });
    if (elements[i] === undefined) this.element.append(found);
    elements[i] = found;
    return found;
  }
}

function place(rect: SVGElement, box: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>): void {
  for (const [name, value] of Object.entries(box)) rect.setAttribute(name, value.toFixed(2));
}
