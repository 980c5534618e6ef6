import { isIdError, type RequestOptions } from '@ids/core';
import { DEFAULT_TABLE, type Reinstated, type ReinstateOptions, type SequenceState } from '@ids/segment';
import { SqlSegmentSource } from '@ids/segment/sql';
import {
  assertOwner,
  baseOf,
  defaultOwner,
  logTableOf,
  pastCollisions,
  quotedTable,
  type Row,
  readChange,
  readOrigin,
  readWholeNumber,
  reignsText,
  type Skips,
  type SqlExecutor,
  type SqlResult,
} from '@ids/store';
import {
  assertReplicated,
  isCollision,
  type Run,
  sqlError,
  type UsableGuard,
  withBestGuard,
} from '@ids/store/postgres';
import { assertKey, keyToHex } from '../key.js';
import type {
  KeyAnswer,
  KeyedAnswer,
  KeyedReserveOptions,
  KeyedSource,
  KeyRequest,
} from '../keyed-source.js';
import { BIRTH_MS, CROSSINGS, LOCKED, unsettled, whyNone } from '../table/answers.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';
import {
  growthOf,
  keySkips,
  keySkipsOf,
  leastDistanceOf,
  perLostReign,
  type SqlKeyedSourceOptions,
} from '../table/options.js';
import { UseNotes } from '../table/use-notes.js';
import { readGroupNow } from './group-now.js';
import { assertKeyTable } from './key-table.js';
import { keyStatement, reserveStatement } from './statement.js';

/**
 * The shares of the client's time for one wait for a lock, and for all of it on the server: then the server
 * has given up first, and has reserved nothing that nobody uses.
 */
const SHARE_OF_LOCK = 1 / 3;
const SHARE_OF_SERVER = 2 / 3;

/** Families in a segment table of Postgres, and their keys in a table beside it. */
export class PostgresKeyedSource implements KeyedSource {
  readonly #executor: SqlExecutor;
  readonly #families: SqlSegmentSource;
  readonly #closeExecutor: boolean;
  readonly #skips: Skips;
  /** How skips grow, as parameters of a reservation. */
  readonly #growth: readonly (number | null)[];
  readonly #notes: UseNotes;
  /** With their schema, as soon as they were found there. */
  #names: { readonly segments: string; readonly keys: string };
  /** What of the reign the server discloses; undefined before the first statement. */
  #guard: UsableGuard | undefined;
  readonly #texts = new Map<string, string>();
  /** The families that had groups when their rows were last read. */
  readonly #grouped = new Set<string>();
  /** The label in the grant log; undefined without one. */
  readonly #owner: string | undefined;

  constructor(executor: SqlExecutor, options: SqlKeyedSourceOptions = {}) {
    const { table = DEFAULT_TABLE, closeExecutor = false, log = false, owner = defaultOwner() } = options;
    assertOwner(owner);
    this.#executor = executor;
    this.#closeExecutor = closeExecutor;
    this.#names = { segments: table, keys: keyTableOf(table) };
    this.#owner = log ? owner : undefined;
    this.#skips = keySkipsOf(options);
    const { failover, restore } = this.#skips;
    const { ids, seconds } = perLostReign(this.#skips);
    this.#growth = [growthOf(failover), growthOf(restore), leastDistanceOf(failover), ids, seconds];
    this.#families = new SqlSegmentSource(executor, { table, ...keySkips(options) });
    this.#notes = new UseNotes((family, signal) => this.#families.noteUse(family, { signal }));
  }

  /** Also rejects with `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
  async describe(family: string, options: RequestOptions = {}): Promise<SequenceState> {
    const state = await this.#families.describe(family, options);
    this.#notes.read(family, state.pace?.ageSeconds);
    const { segments, keys } = this.#names;
    const { schema, warnings } = await assertKeyTable(
      this.#run(options),
      segments,
      keys,
      this.#owner !== undefined,
    );
    this.#names = { segments: schema(segments), keys: schema(keys) };
    this.#note(family, state.group !== undefined);
    return { ...state, warnings: [...(state.warnings ?? []), ...warnings] };
  }

  async reserve(
    family: string,
    requests: readonly KeyRequest[],
    options: KeyedReserveOptions,
  ): Promise<KeyedAnswer> {
    for (const { key } of requests) assertKey(key);
    const { signal, timeoutMs, within } = options;
    for (let crossing = 0; crossing <= CROSSINGS; crossing++) {
      // Read before it is sent: the time left in a group counts from then on, so that no id outlives it.
      const sentAt = performance.now();
      const grouped = this.#grouped.has(family);
      const result = await this.#send(family, requests, grouped, options);
      if (result === 'locked') return { keys: requests.map(() => LOCKED) };
      const { rows, notices } = result;
      assertReplicated(notices, family, 'what was reserved is not used');
      const first = rows.find(({ nth }) => nth === null || Number(nth) === 1);
      if (first !== undefined && first.nth !== null) {
        this.#notes.used(family);
        const keys = await this.#answers(family, requests, rows, sentAt, options);
        return { keys, origin: readOrigin(first) };
      }
      // Each statement refuses what the other one is for.
      if (first !== undefined && this.#note(family, first.group_by !== null) !== grouped) continue;
      // The family is missing or elsewhere, which this says; or of another reign, which this begins, once, or
      // refuses.
      const bounds = { within, ...(signal && { signal }), ...(timeoutMs && { timeoutMs }) };
      await this.#families.reserve(family, 1, bounds);
    }
    throw unsettled(family, this.#names.segments);
  }

  /** As for a sequence; the keys of the family skip ids as well, each when it is next used. */
  reinstate(family: string, options: ReinstateOptions): Promise<Reinstated | undefined> {
    return this.#families.reinstate(family, options);
  }

  async highest(family: string, key: string, options: RequestOptions = {}): Promise<number | undefined> {
    assertKey(key);
    const { table } = quotedTable(this.#names.keys);
    const text = `SELECT max_id FROM ${table} WHERE family = $1 AND sequence_key = decode($2, 'hex')`;
    const [row] = await this.#run(options)(text, [family, keyToHex(key)]);
    return row && readWholeNumber(row.max_id, 'max_id');
  }

  async close(): Promise<void> {
    await this.#notes.settled();
    if (this.#closeExecutor) await this.#executor.close();
  }

  /** `locked`: none of the keys, because one that somebody else is making is locked for too long. */
  async #send(
    family: string,
    requests: readonly KeyRequest[],
    grouped: boolean,
    { wait, newKeys, timeoutMs, within, signal }: KeyedReserveOptions,
  ): Promise<SqlResult | 'locked'> {
    const endsAt = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    const left = (share: number): number | null =>
      endsAt === undefined ? null : Math.max(1, Math.floor((endsAt - performance.now()) * share));
    const values = (): unknown[] => [
      family,
      requests.map(({ key }) => keyToHex(key)),
      requests.map(({ size }) => size),
      requests.map(({ floor }) => floor ?? 0),
      requests.map(({ startAfter }) => startAfter ?? 0),
      baseOf(this.#skips.failover),
      baseOf(this.#skips.restore),
      newKeys ?? null,
      wait ? left(SHARE_OF_LOCK) : Math.min(BIRTH_MS, left(SHARE_OF_LOCK) ?? BIRTH_MS),
      left(SHARE_OF_SERVER),
      within?.realm ?? null,
      reignsText(within?.reigns),
      ...this.#growth,
      ...(this.#owner === undefined ? [] : [this.#owner]),
    ];
    const attempt = (guard: UsableGuard): Promise<SqlResult> =>
      this.#execute(this.#text(guard, wait, grouped), values, signal);
    try {
      if (this.#guard !== undefined) return await attempt(this.#guard);
      const { guard, result } = await withBestGuard(this.#run({ ...(signal && { signal }) }), attempt);
      this.#guard = guard;
      return result;
    } catch (error) {
      if (!wait && isIdError(error) && error.code === 'ERR_IDS_TIMEOUT') return 'locked';
      throw error;
    }
  }

  async #answers(
    family: string,
    requests: readonly KeyRequest[],
    rows: readonly Row[],
    sentAt: number,
    { wait, newKeys = Number.POSITIVE_INFINITY, signal }: KeyedReserveOptions,
  ): Promise<KeyAnswer[]> {
    const answers: KeyAnswer[] = requests.map(() => LOCKED);
    const noMore = rows.filter(({ is_new }) => is_new === true).length >= newKeys;
    for (const row of rows) {
      const nth = Number(row.nth) - 1;
      const request = requests[nth] as KeyRequest;
      if (row.max_id !== null) {
        const high = readWholeNumber(row.max_id, 'max_id');
        const { left_ms: leftMs = null } = row;
        const expiry = leftMs === null ? {} : { expiresAt: sentAt + Number(leftMs) };
        answers[nth] = { high, isNew: row.is_new === true, newReign: readChange(row.noticed), ...expiry };
      } else if (noMore && row.is_missing === true) {
        answers[nth] = { missed: 'new' };
      } else if (wait) {
        answers[nth] = await this.#whyNone(family, request, signal);
      }
    }
    return answers;
  }

  /** Why a key got no ids although its row was waited for. */
  async #whyNone(family: string, request: KeyRequest, signal?: AbortSignal): Promise<KeyAnswer> {
    const { key, startAfter = 0 } = request;
    const run = this.#run({ ...(signal && { signal }) });
    const [row] = await run(keyStatement(this.#names, this.#guard ?? 'row'), [family, keyToHex(key)]);
    const group = this.#grouped.has(family)
      ? await readGroupNow(run, this.#names.segments, family)
      : undefined;
    const { base = 0 } = group ?? {};
    const stands =
      row === undefined
        ? { maxId: Math.max(base, (await this.#families.describe(family)).maxId), startAfter }
        : {
            maxId: Math.max(base, readWholeNumber(row.max_id, 'max_id')),
            change: readChange(row.change),
            timelines: Number(row.timelines),
            seconds: Number(row.seconds),
            reigns: Number(row.reigns),
            idsPerSecond: Number(row.rate),
            lane: Number(row.lane),
          };
    return whyNone(family, request, stands, this.#skips, group);
  }

  /** Notes whether a family has groups, and returns it. */
  #note(family: string, grouped: boolean): boolean {
    if (grouped) this.#grouped.add(family);
    else this.#grouped.delete(family);
    return grouped;
  }

  #text(guard: UsableGuard, wait: boolean, grouped: boolean): string {
    const { segments, keys } = this.#names;
    const name = `${segments} ${guard} ${wait} ${grouped}`;
    let text = this.#texts.get(name);
    if (text === undefined) {
      const log = this.#owner === undefined ? undefined : logTableOf(keys);
      text = reserveStatement({ segments, keys }, guard, { wait, log, grouped });
      this.#texts.set(name, text);
    }
    return text;
  }

  #run(options: RequestOptions): Run {
    return async (text, values) => (await this.#execute(text, () => values, options.signal)).rows;
  }

  /** `values` is called again for each attempt. */
  async #execute(
    text: string,
    values: () => readonly unknown[],
    signal: AbortSignal | undefined,
  ): Promise<SqlResult> {
    const executor = this.#executor;
    try {
      const run = executor.prepared ?? executor.execute;
      return await pastCollisions(() => run.call(executor, text, values(), signal), isCollision, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw sqlError(error, this.#names.keys, [], KEY_TABLE);
    }
  }
}
