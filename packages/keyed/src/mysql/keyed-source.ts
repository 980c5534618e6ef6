import { randomBytes } from 'node:crypto';
import { IdError, isIdError, type RequestOptions } from '@ids/core';
import {
  DEFAULT_TABLE,
  endOfGroup,
  groupAt,
  groupIn,
  type Reinstated,
  type ReinstateOptions,
  SequenceMovedError,
  type SequenceState,
} from '@ids/segment';
import { SqlSegmentSource } from '@ids/segment/sql';
import {
  assertOwner,
  defaultOwner,
  isWithin,
  type Row,
  readOrigin,
  readWholeNumber,
  type Skips,
} from '@ids/store';
import {
  changeIn,
  historyOf,
  inDatabase,
  laneOf,
  limitOf,
  type MysqlExecutor,
  mysqlSkips,
  numberOf,
  originOf,
  type TableSql,
  tableSql,
} from '@ids/store/mysql';
import { assertKey } from '../key.js';
import {
  type KeyAnswer,
  type KeyedAnswer,
  type KeyedReserveOptions,
  type KeyedSource,
  type KeyRequest,
  noSuchFamily,
} from '../keyed-source.js';
import { BIRTH_MS, CROSSINGS, LOCKED, unsettled, whyNone } from '../table/answers.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';
import { keySkips, keySkipsOf, type SqlKeyedSourceOptions } from '../table/options.js';
import { UseNotes } from '../table/use-notes.js';
import { assertKeyTable, tablesOf } from './key-table.js';
import { type Found, type Granted, readFound, readGranted } from './reply.js';
import {
  bearStatement,
  familyStatement,
  grantedStatement,
  type KnownFamily,
  keyStatement,
  type Limits,
  probeStatement,
  raiseStatement,
  stateStatement,
  type Tables,
  type Wanted,
} from './statements.js';

/** A call under way. */
interface Call extends KeyedReserveOptions {
  readonly family: KnownFamily;
  /** In the order of their keys. */
  readonly wanted: readonly Wanted[];
  readonly endsAt: number | undefined;
}

/**
 * For how long a family is taken to be as it was read, in milliseconds: another process may have reinstated
 * this server, and then its keys skip what its successor had issued.
 */
const KNOWN_MS = 1_000;

/** Families in a segment table of MySQL, and their keys in a table beside it. */
export class MysqlKeyedSource implements KeyedSource {
  readonly #executor: MysqlExecutor;
  /** Of the table with the keys. */
  readonly #sql: TableSql;
  readonly #families: SqlSegmentSource;
  readonly #closeExecutor: boolean;
  readonly #skips: Skips;
  readonly #notes: UseNotes;
  /** The label in the grant log; undefined without one. */
  readonly #owner: string | undefined;
  /** With their database, as soon as they were found there. */
  #tables: Tables;
  /** What the rows of the families said, in the reign of their server. */
  readonly #known = new Map<string, KnownFamily & { readonly readAt: number }>();
  /** The settings with which the server was found to be durable; empty before that. */
  #durability = '';

  constructor(executor: MysqlExecutor, options: SqlKeyedSourceOptions = {}) {
    const { table = DEFAULT_TABLE, closeExecutor = false, log = false, owner = defaultOwner() } = options;
    assertOwner(owner);
    this.#executor = executor;
    this.#closeExecutor = closeExecutor;
    this.#owner = log ? owner : undefined;
    this.#tables = tablesOf(table);
    this.#sql = tableSql(executor, keyTableOf(table), KEY_TABLE);
    this.#skips = mysqlSkips(keySkipsOf(options));
    this.#families = new SqlSegmentSource(executor, { table, ...keySkips(options) });
    this.#notes = new UseNotes((family, signal) => this.#families.noteUse(family, { signal }));
  }

  /** Also rejects with `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
  async describe(family: string, options: RequestOptions = {}): Promise<SequenceState> {
    const state = await this.#families.describe(family, options);
    this.#notes.read(family, state.pace?.ageSeconds);
    this.#durability = '';
    await this.#find(family, options);
    await this.#sql.rows(probeStatement(this.#tables), options);
    if (this.#owner !== undefined) await this.#sql.assertLog(this.#tables.keys.log, options);
    return state;
  }

  async reserve(
    family: string,
    requests: readonly KeyRequest[],
    options: KeyedReserveOptions,
  ): Promise<KeyedAnswer> {
    for (const { key } of requests) assertKey(key);
    const { timeoutMs } = options;
    const endsAt = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    const wanted = inOrder(requests);
    for (let crossing = 0; crossing <= CROSSINGS; crossing++) {
      const known = await this.#settled(family, endsAt, options);
      if (known === undefined) continue;
      const answers = await this.#answers({ ...options, family: known, wanted, endsAt });
      if (answers !== undefined) {
        this.#notes.used(family);
        return { keys: answers, origin: originOf(known) };
      }
      this.#known.delete(family);
    }
    throw unsettled(family, this.#tables.segments.name);
  }

  /** As for a sequence; the keys of the family skip ids as well, each when it is next used. */
  reinstate(family: string, options: ReinstateOptions): Promise<Reinstated | undefined> {
    this.#known.delete(family);
    return this.#families.reinstate(family, options);
  }

  async highest(family: string, key: string, options: RequestOptions = {}): Promise<number | undefined> {
    assertKey(key);
    const [row] = await this.#sql.rows(keyStatement(this.#tables, family, key), options);
    return row && readWholeNumber(row.max_id, 'max_id');
  }

  async close(): Promise<void> {
    await this.#notes.settled();
    if (this.#closeExecutor) await this.#executor.close();
  }

  /**
   * A family whose reign is that of its server. Otherwise begins that, once, or refuses; then it is to be
   * read again.
   */
  async #settled(
    name: string,
    endsAt: number | undefined,
    options: KeyedReserveOptions,
  ): Promise<KnownFamily | undefined> {
    const { signal, within } = options;
    const known = this.#known.get(name);
    const recent = known !== undefined && performance.now() - known.readAt < KNOWN_MS;
    if (recent && isWithin(originOf(known), within)) return known;
    const readAt = performance.now();
    const row = await this.#find(name, options);
    const change = changeIn(row);
    if (!isWithin(readOrigin(row), within)) {
      const maxId = readWholeNumber(row.max_id, 'max_id');
      throw new SequenceMovedError(name, undefined, maxId, readOrigin(row), change !== undefined);
    }
    if (change !== undefined) {
      const timeoutMs = endsAt && Math.max(1, Math.ceil(endsAt - performance.now()));
      const bounds = { within, ...(signal && { signal }), ...(timeoutMs && { timeoutMs }) };
      await this.#families.reserve(name, 1, bounds);
      return undefined;
    }
    const found = {
      ...historyOf(row),
      name,
      created: numberOf(readWholeNumber(row.here_table, 'CREATE_TIME')),
      secondsLost: readWholeNumber(row.seconds_lost, 'seconds_lost'),
      reignsLost: readWholeNumber(row.reigns_lost, 'reigns_lost'),
      durability: this.#durability,
      group: groupIn(row),
      readAt,
    };
    this.#known.set(name, found);
    return found;
  }

  /** The row of a family that exists, on a server that is durable. */
  async #find(name: string, options: RequestOptions): Promise<Row> {
    const { segments, keys } = this.#tables;
    const [row] = await this.#sql.rows(familyStatement(this.#tables, name), options);
    if (row === undefined || row.realm === null) throw noSuchFamily(name, `table ${segments.name}`);
    if (segments.database === undefined) {
      const database = String(row.here_database);
      // Of several first reads, on connections with different defaults, only one decides.
      if (this.#tables.segments.database === undefined) {
        this.#tables = { segments: inDatabase(segments, database), keys: inDatabase(keys, database) };
      } else if (this.#tables.segments.database !== database) return this.#find(name, options);
    }
    if (row.durability !== this.#durability) {
      await assertKeyTable(this.#sql, row, options);
      this.#durability = String(row.durability);
    }
    return row;
  }

  /** Undefined if the server is another one than where the family was read, or set otherwise. */
  async #answers(call: Call): Promise<KeyAnswer[] | undefined> {
    const { family, wanted, wait, newKeys = Number.POSITIVE_INFINITY } = call;
    const raised = await this.#raise(call);
    if (!raised.same) return undefined;
    const missing = wanted.filter(({ nth }) => !raised.granted.has(nth) && !raised.stands.has(nth));
    const born = await this.#bear(call, missing).catch((error: unknown) => {
      // What was reserved is used, and the others come again.
      if (raised.granted.size === 0) throw error;
      return new Map<number, Granted>();
    });
    // The row of the family may have changed.
    if (born.size === 0 && missing.length > 0) this.#known.delete(family.name);
    const answers: KeyAnswer[] = wanted.map(() => LOCKED);
    for (const request of wanted) {
      const { nth } = request;
      const granted = raised.granted.get(nth) ?? born.get(nth);
      const stands = raised.stands.get(nth);
      let answer: KeyAnswer = LOCKED;
      if (granted !== undefined) answer = granted;
      else if (stands === undefined && born.size >= newKeys) answer = { missed: 'new' };
      else if (wait) {
        const start = { maxId: raised.startAfter, startAfter: request.startAfter };
        const group = family.group && groupAt(family.group, raised.nowMs);
        const { maxId, ...state } = stands ?? start;
        const stood = { ...state, lane: laneOf(family.server), maxId: Math.max(maxId, group?.base ?? 0) };
        answer = whyNone(family.name, request, stood, this.#skips, group);
      }
      answers[nth - 1] = answer;
    }
    return answers;
  }

  /** Reserves for the keys that exist. If it is not for all of them, also reads where they stand. */
  async #raise({ family, wanted, wait, endsAt, signal }: Call): Promise<Found> {
    return this.#change(
      (limits) => raiseStatement(this.#tables, family, wanted, limits, wait),
      (changed) =>
        changed === wanted.length ? grantedStatement : stateStatement(this.#tables, family, wanted),
      () => leftMs(endsAt),
      family,
      signal,
    );
  }

  /** Reserves for the keys that do not exist, at most `newKeys` of them, and for none if one is locked. */
  async #bear(
    { family, wait, newKeys, endsAt, signal }: Call,
    missing: readonly Wanted[],
  ): Promise<ReadonlyMap<number, Granted>> {
    if (missing.length === 0 || newKeys === 0) return new Map();
    const shortest = BIRTH_MS + missing.length;
    const limit = (): number | undefined => {
      const left = leftMs(endsAt);
      return wait ? left : Math.min(shortest, left ?? shortest);
    };
    try {
      const { granted } = await this.#change(
        (limits) => bearStatement(this.#tables, family, missing, limits, newKeys),
        () => grantedStatement,
        limit,
        family,
        signal,
      );
      return granted;
    } catch (error) {
      if (!wait && isIdError(error) && error.code === 'ERR_IDS_TIMEOUT') return new Map();
      throw error;
    }
  }

  /** Runs a statement that reserves, and reads its answer. After a collision, both are made anew. */
  async #change(
    text: (limits: Limits) => string,
    read: (changed: number) => string,
    limit: () => number | undefined,
    { group }: KnownFamily,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    const skips = this.#skips;
    const run = async (): Promise<Found> => {
      const owner = this.#owner;
      const grantId = randomBytes(16).toString('hex');
      const limitMs = limit();
      // The server reads its clock after that, to the millisecond: ids expire early by one round trip.
      const sentAt = performance.now();
      const expiryOf = (high: number, nowMs: number): number | undefined =>
        group && sentAt + endOfGroup(group, high) - (nowMs + 1);
      const { rows, changed } = await this.#executor.change(
        text({ grantId, skips, limitMs, owner }),
        read,
        signal,
      );
      const granted = readGranted(rows, changed, grantId, expiryOf);
      if (granted === undefined) throw answerLost(this.#sql.table);
      if (owner !== undefined && changed > 0 && Number(rows[0]?.logged) !== 1) {
        throw this.#sql.noLog('is missing, or has no triggers');
      }
      return readFound(rows, granted);
    };
    return this.#sql.attempt(run, { signal });
  }
}

function inOrder(requests: readonly KeyRequest[]): Wanted[] {
  const bytes = new Map(requests.map(({ key }) => [key, Buffer.from(key)]));
  const numbered = requests.map((request, i) => ({ ...request, nth: i + 1 }));
  return numbered.sort((a, b) => Buffer.compare(bytes.get(a.key) as Buffer, bytes.get(b.key) as Buffer));
}

function leftMs(endsAt: number | undefined): number | undefined {
  return endsAt === undefined ? undefined : limitOf(endsAt - performance.now());
}

/** The ids are reserved, and nobody uses them. */
function answerLost(keys: string): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    `${KEY_TABLE.what} ${keys}: what was reserved is unknown, so it is not used: its triggers are missing, or a proxy runs the statements of one connection on several; ${KEY_TABLE.create.split(' ')[0]} creates the triggers`,
  );
}
