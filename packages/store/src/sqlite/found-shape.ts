import type { SqlExecutor } from '../executor.js';
import { type TableShape, typesOf, WrongTableError, wrongShape } from '../table-shape.js';
import { literal } from './text.js';

/** Throws a `WrongTableError` about `about` if the table exists and is of another shape. */
export async function assertShape(
  executor: SqlExecutor,
  about: string,
  shape: TableShape,
  name: string,
): Promise<void> {
  const { rows } = await executor.execute(`SELECT name, type FROM pragma_table_info(${literal(name)})`, []);
  const found = new Map(rows.map(({ name, type }) => [String(name), String(type).toLowerCase()]));
  if (rows.length === 0 || typesOf(shape.columns).every(([column, type]) => found.get(column) === type))
    return;
  const columns = [...found].map((column) => column.join(' ')).join(', ');
  throw new WrongTableError(about, `${wrongShape(shape, name)}${columns}`);
}
