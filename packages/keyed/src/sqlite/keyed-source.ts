import { IdError, isIdError, type RequestOptions } from '@ids/core';
import {
  DEFAULT_TABLE,
  endOfGroup,
  groupIn,
  type OpenGroup,
  SequenceMovedError,
  type SequenceState,
} from '@ids/segment';
import { SqliteSegmentSource } from '@ids/segment/sqlite';
import {
  assertOwner,
  defaultOwner,
  isWithin,
  type Row,
  readOrigin,
  readWholeNumber,
  type Skips,
} from '@ids/store';
import { missingSqliteParts, type SqliteExecutor, type SqliteStatement } from '@ids/store/sqlite';
import { assertKey, keyToHex } from '../key.js';
import type {
  KeyAnswer,
  KeyedAnswer,
  KeyedReserveOptions,
  KeyedSource,
  KeyRequest,
} from '../keyed-source.js';
import { CROSSINGS, LOCKED, unsettled, whyNone } from '../table/answers.js';
import { KEY_TABLE } from '../table/key-table.js';
import { keySkips, keySkipsOf, type SqlKeyedSourceOptions, skipIfBelow } from '../table/options.js';
import { groupNowIn, type KeyedSql, keyChangeIn, keyedSql, readFamily } from './family.js';
import { sqliteKeysOf } from './schema.js';
import {
  bearStatement,
  type KnownFamily,
  keysStatement,
  type Limits,
  raiseStatement,
  settleStatement,
} from './statements.js';

/** A family in the reign of its database, as it is now. */
interface SettledFamily extends Omit<Limits, 'loss' | 'owner'> {
  /** The end of a group as a reading of `performance.now()`, by one of its ids. */
  readonly expiryOf: (high: number) => number | undefined;
}

/** What was reserved, by the digits of the keys. */
type Granted = Map<
  string,
  Exclude<KeyAnswer, { missed: unknown } | { refused: unknown } | { later: unknown }>
>;

/** Families in a segment table of SQLite, and their keys in a table beside it. */
export class SqliteKeyedSource implements KeyedSource {
  readonly #executor: SqliteExecutor;
  readonly #families: SqliteSegmentSource;
  readonly #keyed: KeyedSql;
  readonly #closeExecutor: boolean;
  readonly #skips: Skips;
  /** The label in the grant log; undefined without one. */
  readonly #owner: string | undefined;
  /** The families without groups, as they were last read. */
  readonly #known = new Map<string, KnownFamily>();

  constructor(executor: SqliteExecutor, options: SqlKeyedSourceOptions = {}) {
    const { table = DEFAULT_TABLE, closeExecutor = false, log = false, owner = defaultOwner() } = options;
    assertOwner(owner);
    this.#executor = executor;
    this.#closeExecutor = closeExecutor;
    this.#owner = log ? owner : undefined;
    this.#skips = keySkipsOf(options);
    this.#keyed = keyedSql(executor, table);
    this.#families = new SqliteSegmentSource(executor, { table, ...keySkips(options) });
  }

  /** Also rejects with `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
  async describe(family: string, options: RequestOptions = {}): Promise<SequenceState> {
    const state = await this.#families.describe(family, options);
    // Fails unless the table of the keys is there, with its columns.
    await this.#rows(keysStatement(this.#keyed.tables, family, []), options);
    await this.#assertLog();
    return state;
  }

  async reserve(
    family: string,
    requests: readonly KeyRequest[],
    options: KeyedReserveOptions,
  ): Promise<KeyedAnswer> {
    const { signal, timeoutMs } = options;
    signal?.throwIfAborted();
    for (const { key } of requests) assertKey(key);
    const overdue = timeoutMs === undefined ? undefined : AbortSignal.timeout(Math.ceil(timeoutMs));
    const signals = [signal, overdue].filter((one) => one !== undefined);
    const call = { ...options, ...(signals.length > 0 && { signal: AbortSignal.any(signals) }) };
    try {
      return await this.#reserve(family, requests, call);
    } catch (error) {
      if (!overdue?.aborted || signal?.aborted || error !== overdue.reason) throw error;
      throw fileLocked(family);
    }
  }

  async highest(family: string, key: string, options: RequestOptions = {}): Promise<number | undefined> {
    assertKey(key);
    const [row] = await this.#rows(keysStatement(this.#keyed.tables, family, [{ key, size: 1 }]), options);
    return row && readWholeNumber(row.max_id, 'max_id');
  }

  async close(): Promise<void> {
    if (this.#closeExecutor) await this.#executor.close();
  }

  async #reserve(
    name: string,
    requests: readonly KeyRequest[],
    call: KeyedReserveOptions,
  ): Promise<KeyedAnswer> {
    for (let crossing = 0; crossing <= CROSSINGS; crossing++) {
      const settled = await this.#settled(name, call);
      if (settled === undefined) continue;
      const keys = await this.#answers(settled, requests, call);
      if (keys !== undefined) return { keys, origin: readOrigin({ ...settled.family }) };
      this.#known.delete(name);
    }
    throw unsettled(name, this.#keyed.tables.segments.name);
  }

  /**
   * A family whose reign is that of its database. Otherwise begins that, once, or refuses; then it is to be
   * read again.
   */
  async #settled(name: string, call: KeyedReserveOptions): Promise<SettledFamily | undefined> {
    const { id: home } = await this.#keyed.sql.home(call);
    const known = this.#known.get(name);
    const { within } = call;
    if (known?.home === home && isWithin(readOrigin({ ...known }), within)) {
      return { family: known, group: undefined, expiryOf: () => undefined };
    }
    const readAt = performance.now();
    const row = await readFamily(this.#keyed, name, call);
    const begins = row.reign_server !== null && row.reign_server !== home;
    if (!isWithin(readOrigin(row), within)) {
      const maxId = readWholeNumber(row.max_id, 'max_id');
      throw new SequenceMovedError(name, undefined, maxId, readOrigin(row), begins);
    }
    if (row.reign_server === null) {
      const { text, values } = settleStatement(this.#keyed.tables, name, home);
      await this.#keyed.sql.rows(text, values, call, home);
    } else if (begins) {
      const { signal } = call;
      await this.#families.reserve(name, 1, { within, ...(signal && { signal }) });
      return undefined;
    }
    const [realm, reigns] = [String(row.realm), String(row.reigns)];
    const family = { name, home, realm, reigns, group: groupIn(row) };
    const [group, now] = [groupNowIn(row), Number(row.now_ms)];
    if (group === undefined) this.#known.set(name, family);
    return {
      family,
      group,
      // The clock was read after `readAt`, so this is early by at most the time that took.
      expiryOf: (high) => group && readAt + endOfGroup(group, high) - (now + 1),
    };
  }

  /** Undefined if the family is not as it was read. */
  async #answers(
    settled: SettledFamily,
    requests: readonly KeyRequest[],
    call: KeyedReserveOptions,
  ): Promise<KeyAnswer[] | undefined> {
    const limits: Limits = { ...settled, loss: skipIfBelow(this.#skips), owner: this.#owner };
    const { newKeys } = call;
    const granted = await this.#granted(raiseStatement(this.#keyed.tables, requests, limits), settled, call);
    const left = requests.filter(({ key }) => !granted.has(keyToHex(key)));
    if (left.length === 0) return requests.map(({ key }) => granted.get(keyToHex(key)) ?? LOCKED);
    let none: ReadonlyMap<string, KeyAnswer> = new Map();
    try {
      if (newKeys !== 0) {
        const bear = bearStatement(this.#keyed.tables, left, limits, newKeys);
        for (const [hex, born] of await this.#granted(bear, settled, call)) granted.set(hex, born);
      }
      const rest = left.filter(({ key }) => !granted.has(keyToHex(key)));
      if (rest.length > 0) {
        const why = await this.#whyNone(settled, rest, granted, call);
        if (why === undefined && granted.size === 0) return undefined;
        none = why ?? none;
      }
    } catch (error) {
      // What was reserved is used, and the others come again.
      if (granted.size === 0 || !(isIdError(error) ? error.retryable : call.signal?.aborted)) throw error;
    }
    return requests.map(({ key }) => granted.get(keyToHex(key)) ?? none.get(keyToHex(key)) ?? LOCKED);
  }

  /** Runs a reservation. */
  async #granted(statement: SqliteStatement, settled: SettledFamily, call: RequestOptions): Promise<Granted> {
    const isNew = statement.text.startsWith('INSERT');
    const granted: Granted = new Map();
    const { text, values } = statement;
    for (const row of await this.#keyed.sql.rows(text, values, call, settled.family.home)) {
      const high = readWholeNumber(row.max_id, 'max_id');
      const expiresAt = settled.expiryOf(high);
      granted.set(String(row.sequence_key), {
        high,
        isNew,
        ...(row.noticed === 'restore' && { newReign: 'restore' as const }),
        ...(expiresAt !== undefined && { expiresAt }),
      });
    }
    return granted;
  }

  /**
   * Why keys got no ids, by their digits; for several keys, what is wrong with each is said when it is asked
   * for alone. Undefined if the family is not as it was read.
   */
  async #whyNone(
    { family, group }: SettledFamily,
    requests: readonly KeyRequest[],
    granted: Granted,
    { wait, newKeys = Number.POSITIVE_INFINITY, ...options }: KeyedReserveOptions,
  ): Promise<ReadonlyMap<string, KeyAnswer> | undefined> {
    const row = await readFamily(this.#keyed, family.name, options);
    if (!isAsRead(row, family)) return undefined;
    await this.#assertLog();
    const rows = await this.#rows(keysStatement(this.#keyed.tables, family.name, requests), options);
    const found = new Map(rows.map((key) => [String(key.sequence_key), key]));
    const born = [...granted.values()].filter(({ isNew }) => isNew).length;
    const why = (request: KeyRequest): KeyAnswer => {
      const key = found.get(keyToHex(request.key));
      if (key === undefined && born >= newKeys) return { missed: 'new' };
      if (!wait) return LOCKED;
      const maxId = Math.max(readWholeNumber((key ?? row).max_id, 'max_id'), group?.base ?? 0);
      const state = key ? { change: keyChangeIn(key, family.home) } : { startAfter: request.startAfter };
      return whyNone(family.name, request, { ...state, maxId }, this.#skips, group as OpenGroup);
    };
    return new Map(requests.map((request) => [keyToHex(request.key), why(request)]));
  }

  async #assertLog(): Promise<void> {
    if (this.#owner === undefined) return;
    const { keys, segments } = this.#keyed.tables;
    const missing = await missingSqliteParts(sqliteKeysOf(segments), this.#executor, keys.name, true);
    if (!missing.includes('log')) return;
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${KEY_TABLE.what} ${keys.name}: its grant log ${keys.logName} is missing or has no triggers; create it with ensureKeyedSchema({ log: true })`,
    );
  }

  #rows({ text, values }: SqliteStatement, options: RequestOptions): Promise<readonly Row[]> {
    return this.#keyed.sql.rows(text, values, options);
  }
}

function isAsRead(row: Row, { home, realm, reigns, group }: KnownFamily): boolean {
  const now = groupIn(row);
  return (
    row.reign_server === home &&
    row.realm === realm &&
    row.reigns === reigns &&
    now?.by === group?.by &&
    now?.timeZone === group?.timeZone
  );
}

function fileLocked(family: string): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `sequence ${JSON.stringify(family)}: the database was locked for too long, and nothing was reserved`,
  );
}
