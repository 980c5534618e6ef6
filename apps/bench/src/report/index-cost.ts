import { count, quantity, rateText, ratioText } from '../judge/words.js';
import type { IndexCosts } from '../schema/run.js';
import { html, nameCell, type Section, table } from './markup.js';
import { textTable, wrap } from './text.js';

function note({ sharedBuffers, costs }: IndexCosts): string {
  const rows = count(costs[0]?.rows ?? 0);
  return `Real ids of several processes, in the order in which they were issued, ${rows} rows per table, 500 at a time, one table after the other. Postgres has shared_buffers = ${sharedBuffers}, small on purpose, so that the index outgrows it. Slope: the rate of the last quarter over that of the first. Only Postgres is measured, not MongoDB.`;
}

/** For a terminal. */
export function indexText(indexCosts: IndexCosts, bold: (text: string) => string): string {
  const head = ['key', 'rows/s', 'vs bigserial', 'slope', 'B/row', 'WAL/row', 'full'].map(bold);
  return [
    textTable(
      head,
      [26, 9, 16, 7, 7, 9, 6],
      indexCosts.costs.map(({ name, rowsPerSecond, ratio, slope, ...cost }) => [
        name,
        quantity(rowsPerSecond.median),
        ratio ? ratioText(ratio) : '',
        slope.toFixed(2),
        cost.indexBytesPerRow.toFixed(0),
        cost.walBytesPerRow.toFixed(0),
        densityText(cost.leafDensity),
      ]),
    ),
    wrap('How', [note(indexCosts)]),
  ].join('\n\n');
}

/** For the page. */
export function indexSection(indexCosts: IndexCosts): Section {
  const { costs } = indexCosts;
  const body = html`<p>${note(indexCosts)}</p>
${table(
  'Inserts into Postgres, and the size of the index',
  [
    'key',
    'column',
    'rows/s (95 %)',
    'vs bigserial',
    'slope',
    'index bytes per row',
    'WAL bytes per row',
    'leaf density',
  ],
  costs.map(({ name, type, rowsPerSecond, ratio, slope, ...cost }) => [
    nameCell(name),
    type,
    rateText(rowsPerSecond),
    ratio ? ratioText(ratio) : '',
    slope.toFixed(2),
    cost.indexBytesPerRow.toFixed(1),
    cost.walBytesPerRow.toFixed(0),
    densityText(cost.leafDensity),
  ]),
)}`;
  return { title: 'What the primary key costs', body };
}

function densityText(density: number | null): string {
  return density === null ? '-' : `${density.toFixed(0)} %`;
}
