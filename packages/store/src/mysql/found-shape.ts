import type { Row, SqlExecutor } from '../executor.js';
import { type TableShape, typesOf, WrongTableError, wrongShape } from '../table-shape.js';

/** A table that may exist, and the shape that it must have then. */
interface Wanted {
  readonly shape: TableShape;
  /** Columns that it may lack. */
  readonly added?: TableShape['columns'] | undefined;
  readonly name: string;
  /** A condition on information_schema.COLUMNS. */
  readonly where: string;
}

/** What neither reads nor writes a service's account: the server hides it from that. */
const HIDDEN = ['created_at', 'named'];

/** Throws a `WrongTableError` about `about` if one of the tables exists and is of another shape. */
export async function assertShapes(
  executor: SqlExecutor,
  about: string,
  tables: readonly Wanted[],
): Promise<void> {
  for (const { shape, added, name, where } of tables) {
    const text = `SELECT COLUMN_NAME AS name, DATA_TYPE AS type FROM information_schema.COLUMNS WHERE ${where} ORDER BY ORDINAL_POSITION`;
    const { rows } = await executor.execute(text, []);
    if (rows.length === 0 || fits(shape, rows, added)) continue;
    const found = rows.map((column) => `${column.name} ${column.type}`).join(', ');
    throw new WrongTableError(about, `${wrongShape(shape, name)}${found}`);
  }
}

function fits({ columns }: TableShape, rows: readonly Row[], added: TableShape['columns'] = {}): boolean {
  const found = new Map(rows.map(({ name, type }) => [String(name), String(type)]));
  // Without lengths, which the servers do not write in the same way.
  return typesOf({ ...columns, ...added }).every(([name, type]) =>
    found.has(name)
      ? found.get(name) === type.replace(/\(.*/, '')
      : HIDDEN.includes(name) || Object.hasOwn(added, name),
  );
}
