import { type Guarantees, isUuid } from '@ids/core';
import type { SqlExecutor } from '@ids/segment/sql';
import { mean } from 'simple-statistics';
import { estimate, pairedRatio } from '../../measure/statistics.js';
import type { IndexCost } from '../../schema/run.js';

/** A kind of primary key: the type of the column and how ids are stored in it. */
export interface Shape {
  /** `objectid as bytea` */
  readonly name: string;
  /** Absent for the usual alternatives. */
  readonly strategy?: string;
  /** The SQL type of the column. */
  readonly type: string;
  /** SQL that turns the array of strings `$1` into a column `id` of that type. */
  readonly select: string;
}

/** Needs no ids: the database generates its own. */
export const BIGSERIAL: Shape = {
  name: 'bigserial',
  type: 'bigserial',
  select: "SELECT nextval('$sequence') AS id FROM unnest($1::text[])",
};

export const UUID_V7: Shape = { name: 'UUIDv7', type: 'uuid', select: textsAs('uuid') };
export const UUID_V4: Shape = { name: 'UUIDv4', type: 'uuid', select: textsAs('uuid') };

function textsAs(type: string): string {
  return `SELECT one::${type} AS id FROM unnest($1::text[]) AS one`;
}

/**
 * How ids of a strategy can be stored: by their type, UUIDs as such, and 24 hex digits also as the bytes that
 * they encode.
 */
export function shapesOf(strategy: string, { idType, text }: Pick<Guarantees, 'idType' | 'text'>): Shape[] {
  const { pattern } = text;
  if (idType !== 'string') {
    return [{ name: `${strategy} as bigint`, strategy, type: 'bigint', select: textsAs('bigint') }];
  }
  if (isUuid(text)) return [{ name: `${strategy} as uuid`, strategy, type: 'uuid', select: textsAs('uuid') }];
  const hex = pattern.test('0'.repeat(24)) && !pattern.test('0'.repeat(23));
  if (!hex) {
    const type = 'text COLLATE "C"';
    return [
      {
        name: `${strategy} as text`,
        strategy,
        type,
        select: 'SELECT one AS id FROM unnest($1::text[]) AS one',
      },
    ];
  }
  return [
    {
      name: `${strategy} as bytea`,
      strategy,
      type: 'bytea',
      select: "SELECT decode(one, 'hex') AS id FROM unnest($1::text[]) AS one",
    },
    {
      name: `${strategy} as char(24)`,
      strategy,
      type: 'char(24) COLLATE "C"',
      select: 'SELECT one AS id FROM unnest($1::text[]) AS one',
    },
  ];
}

export interface Load {
  readonly shape: Shape;
  /** In the order in which they were issued. */
  readonly ids: readonly string[];
}

const BATCH = 500;
/** The rest of the row. */
const PAYLOAD =
  'a row of the usual kind, with about one hundred bytes beside its key, as services tend to have them';

/** Fills one table per load, a batch of each in turn, and measures the indexes. */
export async function insertIds(
  executor: SqlExecutor,
  loads: readonly Load[],
  seed: number,
): Promise<IndexCost[]> {
  const tables = loads.map((load, i) => new Table(executor, load, `cost_${i}`));
  for (const table of tables) await table.create();
  const batches = Math.min(...loads.map(({ ids }) => Math.floor(ids.length / BATCH)));
  for (let batch = 0; batch < batches; batch++) {
    // Each batch starts one table further, so that no table always follows the same one.
    for (let i = 0; i < tables.length; i++) await tables[(i + batch) % tables.length]?.insert(batch);
  }
  const control = tables.find(({ name }) => name === BIGSERIAL.name);
  const costs: IndexCost[] = [];
  for (const table of tables) costs.push(await table.cost(control, seed));
  return costs;
}

class Table {
  readonly #executor: SqlExecutor;
  readonly #load: Load;
  readonly #table: string;
  readonly #rates: number[] = [];
  #walBytes = 0;

  constructor(executor: SqlExecutor, load: Load, table: string) {
    this.#executor = executor;
    this.#load = load;
    this.#table = table;
  }

  get name(): string {
    return this.#load.shape.name;
  }

  async create(): Promise<void> {
    await this.#executor.execute(
      `CREATE TABLE ${this.#table} (id ${this.#load.shape.type} PRIMARY KEY, payload text NOT NULL)`,
      [],
    );
  }

  async insert(batch: number): Promise<void> {
    const texts = this.#load.ids.slice(batch * BATCH, (batch + 1) * BATCH);
    const select = this.#load.shape.select.replace('$sequence', `${this.#table}_id_seq`);
    const before = await this.#walPosition();
    const start = performance.now();
    await this.#executor.execute(
      `INSERT INTO ${this.#table} (id, payload) SELECT id, $2 FROM (${select}) AS given`,
      [texts, PAYLOAD],
    );
    this.#rates.push((BATCH * 1_000) / (performance.now() - start));
    this.#walBytes += (await this.#walPosition()) - before;
  }

  async cost(control: Table | undefined, seed: number): Promise<IndexCost> {
    const { name, strategy, type } = this.#load.shape;
    const rates = this.#rates;
    const rows = rates.length * BATCH;
    const quarter = Math.max(1, Math.floor(rates.length / 4));
    const ratio =
      control === undefined || control === this
        ? undefined
        : pairedRatio(BIGSERIAL.name, rates, control.#rates, seed);
    const index = `${this.#table}_pkey`;
    return {
      name,
      ...(strategy !== undefined && { strategy }),
      type,
      rows,
      rowsPerSecond: estimate(rates, seed),
      ...(ratio && { ratio }),
      slope: mean(rates.slice(-quarter)) / mean(rates.slice(0, quarter)),
      indexBytesPerRow: (await this.#number(`SELECT pg_relation_size('${index}') AS value`)) / rows,
      walBytesPerRow: this.#walBytes / rows,
      leafDensity: await this.#leafDensity(index),
    };
  }

  #walPosition(): Promise<number> {
    return this.#number("SELECT pg_current_wal_insert_lsn() - '0/0' AS value");
  }

  async #leafDensity(index: string): Promise<number | null> {
    try {
      await this.#executor.execute('CREATE EXTENSION IF NOT EXISTS pgstattuple', []);
    } catch {
      return null;
    }
    return this.#number(`SELECT avg_leaf_density AS value FROM pgstatindex('${index}')`);
  }

  async #number(sql: string): Promise<number> {
    const { rows } = await this.#executor.execute(sql, []);
    return Number(rows[0]?.value);
  }
}
