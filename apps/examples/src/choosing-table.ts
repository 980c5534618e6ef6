import { createIds, type Guarantees } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid/machine-pid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { snowflake } from '@ids/snowflake';
import { uuid7 } from '@ids/uuid7';

const ids = createIds([objectid, uuid7, gpid, segmentInproc, segmentRedisDb, snowflake]);
const stores = { name: 'order', database: 'postgres://localhost/app' };

/** The columns of the tables; nothing is opened. */
const columns: readonly [string, Guarantees][] = [
  ['`objectid`', ids.plan({ strategy: 'objectid' }).guarantees],
  ['`objectid`, layout `machine-pid`', ids.plan({ strategy: 'objectid', layout: 'machine-pid' }).guarantees],
  ['`uuid7`', ids.plan({ strategy: 'uuid7' }).guarantees],
  ['`gpid`', ids.plan({ strategy: 'gpid', port: 8080, address: '10.0.0.7' }).guarantees],
  ['`segment-inproc`', ids.plan({ strategy: 'segment-inproc', ...stores }).guarantees],
  [
    "`segment-inproc`, `order: 'real-time'`",
    ids.plan({ strategy: 'segment-inproc', ...stores, order: 'real-time' }).guarantees,
  ],
  [
    '`segment-redis-db`',
    ids.plan({ strategy: 'segment-redis-db', ...stores, redis: 'redis://localhost' }).guarantees,
  ],
  ['`snowflake`', ids.plan({ strategy: 'snowflake', ...stores }).guarantees],
];

const rows: readonly [string, (guarantees: Guarantees) => string][] = [
  ['needs', ({ backends }) => backends.join(' and ') || 'nothing'],
  ['unique in the', ({ unique }) => unique],
  ['order within a process', ({ order }) => order.process],
  [
    'order across processes',
    ({ order }) => (order.skewMs === undefined ? order.cluster : `${order.cluster}, ${order.skewMs} ms`),
  ],
  ['gaps', ({ gaps }) => gaps],
  [
    'most ids lost in a crash',
    ({ maxIdsLost }) => (maxIdsLost === undefined ? 'not bounded' : String(maxIdsLost)),
  ],
  ['`nextSync`', ({ sync }) => (sync ? 'yes' : 'no')],
  ['id type', ({ idType }) => idType],
  ['longest string form', ({ text }) => `${text.maxLength} characters`],
  ['strings sort', ({ text }) => (text.sortable ? 'yes' : 'no')],
  ['discloses', ({ discloses }) => discloses.join(', ') || 'nothing'],
  [
    'ids per second and process',
    ({ maxIdsPerSecond }) => maxIdsPerSecond?.toLocaleString('en') ?? 'no ceiling',
  ],
];

/** What the strategies promise with default options, in Markdown: those without servers, and the others. */
export function choosingTables(): string {
  const local = columns.filter(([, { backends }]) => backends.length === 0);
  const served = columns.filter((column) => !local.includes(column));
  return `Without servers:\n\n${table(local)}\n\nWith servers:\n\n${table(served)}`;
}

function table(shown: typeof columns): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...shown.map(([name]) => name)]),
    line(['---', ...shown.map(() => '---')]),
    ...rows.map(([name, cell]) => line([name, ...shown.map(([, guarantees]) => cell(guarantees))])),
  ].join('\n');
}
