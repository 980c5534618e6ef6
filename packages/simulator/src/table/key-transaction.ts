import { RelationalStatement, type Relations } from '../sql/relations.js';
import type { Columns, Session } from '../sql/scope.js';
import type { TableRow, TableServer, WrittenRow } from './table-server.js';
import { asDriver, openSession } from './transaction.js';

/** The table with the keys, as statements name it. */
const KEYS = 'id_segment_key';

/** Which parameter says how long the caller of a reservation waits. */
const IN_TIME = 9;

/** The row of a key, among those of a server. `hex`: its bytes, as statements carry them. */
export function keyRowName(family: string, hex: string): string {
  return `${family}/${hex}`;
}

/** Whether a statement reads or writes keys. */
export function isAboutKeys(text: string): boolean {
  return text.includes(KEYS);
}

/** Each version of a row is read by many statements. */
const keyRows = new WeakMap<TableRow, Columns>();

/** The columns of a row in the table of keys; undefined for the row of a family. */
function keyColumns(row: TableRow): Columns | undefined {
  const known = keyRows.get(row);
  if (known !== undefined) return known;
  const [family, key] = row.server_name.split('/');
  if (key === undefined) return undefined;
  const columns = { ...row, family, sequence_key: key } as unknown as Columns;
  keyRows.set(row, columns);
  return columns;
}

/** One statement about keys, which is a transaction by itself. */
export class KeyTransaction {
  readonly notices: string[] = [];
  readonly waitsForStandby = false;
  readonly meetsHeldRow = false;
  readonly #server: TableServer;
  readonly #statement: RelationalStatement;
  readonly #written: { readonly before: TableRow | undefined; readonly changed: TableRow }[] = [];
  readonly #removed: string[] = [];
  readonly #session: Session;
  readonly #values: readonly unknown[];
  readonly #times: { readonly arrivedMs: number; readonly nowMs: () => number };

  constructor(
    server: TableServer,
    text: string,
    values: readonly unknown[],
    times: { readonly arrivedMs: number; readonly nowMs: () => number },
    isLocked: (name: string) => boolean,
  ) {
    this.#server = server;
    this.#values = values;
    this.#times = times;
    this.#session = openSession(server, times, this.notices);
    const relations: Relations = {
      values,
      session: this.#session,
      read: (table) => {
        const rows = [...server.rows.values()];
        if (table !== KEYS) return rows as unknown as Columns[];
        return rows.map(keyColumns).filter((row) => row !== undefined);
      },
      isLocked: (row) => isLocked(String(row.server_name)),
      update: (_table, row, changes) => {
        const { family: _family, sequence_key: _key, ...before } = row;
        const changed = { ...before, ...changes } as unknown as TableRow;
        this.#written.push({ before: before as unknown as TableRow, changed });
        return { ...row, ...changes };
      },
      insert: (_table, row) => {
        const name = keyRowName(String(row.family), String(row.sequence_key));
        if (server.rows.has(name)) return undefined;
        const { family: _family, sequence_key: _key, ...columns } = row;
        this.#written.push({
          before: undefined,
          changed: { ...NEW_ROW, ...columns, server_name: name } as TableRow,
        });
        return row;
      },
      remove: (_table, row) => {
        this.#removed.push(keyRowName(String(row.family), String(row.sequence_key)));
      },
    };
    this.#statement = new RelationalStatement(text, relations);
    this.#statement.evaluateSnapshot();
  }

  get lockTimeoutMs(): number {
    return Number(this.#session.settings.get('lock_timeout') ?? 0) || Number.POSITIVE_INFINITY;
  }

  /** For how many milliseconds its caller has not waited any more, by the clock of the server. */
  get late(): number {
    const timeMs = this.#values[IN_TIME];
    const { arrivedMs, nowMs } = this.#times;
    return typeof timeMs === 'number' ? nowMs() - arrivedMs - timeMs : 0;
  }

  /** The keys whose locks it waits for. */
  get waitsFor(): readonly string[] {
    return this.#statement.waitsForLocks ? this.#names() : [];
  }

  /** What it wants of which key, if it reserves. */
  get wanted(): readonly { readonly name: string; readonly size: number; readonly floor: number }[] {
    return this.#statement.cte('wanted').map(({ sequence_key, size, floor }) => ({
      name: keyRowName(String(this.#values[0]), String(sequence_key)),
      size: Number(size),
      floor: Number(floor ?? 0),
    }));
  }

  run(): { readonly rows: Record<string, unknown>[]; readonly written: readonly WrittenRow[] } {
    const rows = this.#statement.run();
    const written = this.#server.writeTogether(this.#written, this.#session.xactId, this.#removed);
    return {
      rows: rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asDriver(name, value)])),
      ),
      written,
    };
  }

  #names(): string[] {
    return this.wanted.map(({ name }) => name);
  }
}

const NEW_ROW = {
  realm: '',
  group_by: null,
  time_zone: null,
  system_id: null,
  timeline: null,
  last_xact: null,
  noticed: null,
  database_id: null,
  reigns: null,
  xmin: 0,
};
