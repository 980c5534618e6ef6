import { GROUP_CAPACITY, LAST_ID, type OpenGroup, type SequenceGroup } from '@ids/segment';
import {
  type GivenValues,
  given,
  givenInteger as integer,
  literal,
  SQLITE_NOW_MS,
  type SqliteStatement,
  type SqliteTable,
  givenText as text,
  valuesOf,
} from '@ids/store/sqlite';
import { keyToHex } from '../key.js';
import type { KeyRequest } from '../keyed-source.js';

/*
 * Every SQL text that runs against the tables in daily use, as in `../mysql/statements.ts`. Each is one
 * statement with anonymous parameters, which takes the lock for writing at its beginning. Only the whole file
 * can be locked, so nothing comes between what a statement reads and what it writes.
 *
 * Keys that exist and new ones need a statement each: with the trigger that refuses to replace rows, there is
 * no upsert. Nothing relies on both: each says for itself which keys it reserved of.
 */

/** A family's table and that of its keys. */
export interface Tables {
  readonly segments: SqliteTable;
  readonly keys: SqliteTable;
}

/** A family as it was read, in the reign of its database. */
export interface KnownFamily {
  readonly name: string;
  /** The database that its row names. */
  readonly home: string;
  readonly realm: string;
  readonly reigns: string;
  /** Present if it has groups. */
  readonly group: SequenceGroup | undefined;
}

/** What a reservation must respect. */
export interface Limits {
  readonly family: KnownFamily;
  /** The group that is now; present if the family has some. */
  readonly group: OpenGroup | undefined;
  /** How many ids are skipped after a restore; null to refuse. */
  readonly loss: number | null;
  /** Who reserves, for the grant log; undefined without one. */
  readonly owner: string | undefined;
}

function limitValues({ family, group, loss, owner }: Limits): GivenValues {
  return {
    family: text(family.name),
    home: text(family.home),
    realm: text(family.realm),
    reigns: text(family.reigns),
    by: text(family.group?.by),
    zone: text(family.group?.timeZone),
    base: integer(group?.base ?? 0),
    group_limit: integer(group?.limit),
    capacity: integer(group && GROUP_CAPACITY[group.by]),
    loss: integer(loss),
    owner: text(owner),
  };
}

/** The requests as one parameter, and as a table `w`. */
const WANTED = `(SELECT key AS nth, json_extract(value, '$[0]') AS hex, json_extract(value, '$[1]') AS size,
    json_extract(value, '$[2]') AS floor, json_extract(value, '$[3]') AS start FROM json_each(?)) w`;

function wantedValue(requests: readonly KeyRequest[]): string {
  return JSON.stringify(
    requests.map(({ key, size, floor, startAfter }) => [
      keyToHex(key),
      size,
      floor ?? null,
      startAfter ?? null,
    ]),
  );
}

/** Whether the family `s` is as it was read. */
const AS_READ = `s.server_name = g.family AND s.reign_server = g.home AND s.realm = g.realm AND s.reigns = g.reigns
    AND s.group_by IS g.by AND s.time_zone IS g.zone`;

/** The condition for `size` ids above `start`: with groups, all are in one, and it has begun. */
function fits(start: string, size: string): string {
  return `${start} <= ${LAST_ID} - ${size}
  AND (g.by IS NULL OR (${start} < g.group_limit AND ${inOne(start, size)}))`;
}

function inOne(start: string, size: string): string {
  return `${start} / g.capacity = (${start} + ${size}) / g.capacity`;
}

/** Nothing is reserved that is to be logged and would not be. */
function logs({ keys }: Tables, suffix: string): string {
  return `(g.owner IS NULL OR EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = ${literal(keys.trigger(suffix))}))`;
}

/**
 * Reserves ids of keys that exist: a row for each of which some were reserved. None while the family is not
 * as it was read.
 *
 * Twice: ids twice. Later than its caller waits: it is not run. After the loss of its answer: ids that nobody
 * uses. On another file than where the family was read: nothing, because the rows name their file.
 */
export function raiseStatement(
  tables: Tables,
  requests: readonly KeyRequest[],
  limits: Limits,
): SqliteStatement {
  const values = limitValues(limits);
  const highest = 'max(k.max_id, g.base)';
  const change = 'k.reign_server IS NOT g.home';
  // A null is one in the sum, too, and no condition accepts it.
  const above = `(iif(w.floor > ${highest}, w.floor + g.loss, ${highest}) + iif(${change}, g.loss, 0))`;
  return {
    text: `UPDATE ${tables.keys.quoted} AS k
SET max_id = ${above} + w.size, noticed = iif(${change}, 'restore', NULL), reign_server = g.home,
  grants = k.grants + 1, granted = w.size, owner = g.owner
FROM ${given(values)}, ${tables.segments.quoted} s, ${WANTED}
WHERE ${AS_READ}
  AND k.family = g.family AND k.sequence_key = w.hex
  AND ${fits(above, 'w.size')}
  AND ${logs(tables, 'log')}
RETURNING sequence_key, CAST(max_id AS text) AS max_id, noticed`,
    values: [...valuesOf(values), wantedValue(requests)],
  };
}

/**
 * Reserves the first ids of keys, at most the first `most` of them: a row for each that began. Where new keys
 * start is read from the row of the family in the same transaction.
 *
 * Twice: the second one adds nothing. Later, after a loss and elsewhere: as above.
 */
export function bearStatement(
  tables: Tables,
  requests: readonly KeyRequest[],
  limits: Limits,
  most: number | undefined,
): SqliteStatement {
  const values = limitValues(limits);
  const { quoted } = tables.keys;
  const highest = 'max(s.max_id, g.base)';
  const start = `max(${highest} + coalesce(w.start, 0), iif(w.floor IS NULL, 0, w.floor + g.loss))`;
  return {
    text: `INSERT INTO ${quoted} (family, sequence_key, max_id, born_in, grants, granted, owner)
SELECT g.family, w.hex, ${start} + w.size, g.home, 1, w.size, g.owner
FROM ${given(values)}, ${tables.segments.quoted} s, ${WANTED}
WHERE ${AS_READ}
  AND NOT EXISTS (SELECT 1 FROM ${quoted} k WHERE k.family = g.family AND k.sequence_key = w.hex)
  AND ${fits(start, 'w.size')}
  AND (g.by IS NULL OR ${inOne(highest, 'coalesce(w.start, 0)')})
  AND ${logs(tables, 'log_new')}
ORDER BY w.nth LIMIT CAST(? AS integer)
RETURNING sequence_key, CAST(max_id AS text) AS max_id`,
    values: [...valuesOf(values), wantedValue(requests), most ?? -1],
  };
}

/** Where those of the keys stand that exist: a row for each. Changes nothing. */
export function keysStatement(
  { keys }: Tables,
  family: string,
  requests: readonly KeyRequest[],
): SqliteStatement {
  return {
    text: `SELECT sequence_key, CAST(max_id AS text) AS max_id, reign_server FROM ${keys.quoted}
WHERE family = ? AND sequence_key IN (SELECT value FROM json_each(?))`,
    values: [family, JSON.stringify(requests.map(({ key }) => keyToHex(key)))],
  };
}

/**
 * Reads a family; no row without one. `now_ms` is the clock of the database, in milliseconds since 1970.
 * Changes nothing.
 */
export function familyStatement({ segments }: Tables, family: string): SqliteStatement {
  return {
    text: `SELECT CAST(max_id AS text) AS max_id, realm, reigns, group_by, time_zone, reign_server,
  CAST(${SQLITE_NOW_MS} AS text) AS now_ms FROM ${segments.quoted} WHERE server_name = ?`,
    values: [family],
  };
}

/**
 * Writes the database into the row of a family that names none, as one of a migration does: no key has begun
 * there. Twice or later: nothing. Without what follows: ids stay unique.
 */
export function settleStatement({ segments }: Tables, family: string, home: string): SqliteStatement {
  return {
    text: `UPDATE ${segments.quoted} SET reign_server = ? WHERE server_name = ? AND reign_server IS NULL`,
    values: [home, family],
  };
}

/**
 * Deletes a key, and with `raise` raises its family to it: see the triggers. A row if there was one to
 * delete; with `raise` only if it is of the reign of its family, in the database `home`, so that it has no
 * ids which its row does not show.
 *
 * Twice, or later: a key that was made since is deleted, too, and the next one starts above that. After the
 * loss of the answer: it is deleted. On another file: nothing with `raise`, because the rows name their file.
 */
export function deleteStatement(
  { keys, segments }: Tables,
  family: string,
  key: string,
  home: string,
  deletion: 'raise' | 'repeat',
): SqliteStatement {
  const settled = `reign_server = ?
  AND EXISTS (SELECT 1 FROM ${segments.quoted} s WHERE s.server_name = family AND s.reign_server = ?)`;
  return {
    text: `UPDATE ${keys.quoted} SET deletion = '${deletion}'
WHERE family = ? AND sequence_key = ?${deletion === 'raise' ? ` AND ${settled}` : ''}
RETURNING sequence_key`,
    values: [family, keyToHex(key), ...(deletion === 'raise' ? [home, home] : [])],
  };
}

/** Deletes what a grant log says about a key. Twice or later: entries of the time since, too. */
export function deleteLogStatement({ keys }: Tables, family: string, key: string): SqliteStatement {
  return {
    text: `DELETE FROM ${keys.log} WHERE family = ? AND sequence_key = ?`,
    values: [family, keyToHex(key)],
  };
}

/**
 * Raises a key to a floor, unless it is above it: its row. It leaves the reign alone, so the next reservation
 * still skips what it has to, above the floor; with `home`, it stores that, because no id above the floor was
 * issued. Without `grants`, it is not logged.
 *
 * Twice or later: nothing more, but with `home` it may accept a reign that nobody has checked. After the loss
 * of the answer: raised, or to be repeated. On another file: raised there only.
 */
export function raiseKeyStatement(
  { keys }: Tables,
  family: string,
  key: string,
  floor: number,
  home: string | undefined,
): SqliteStatement {
  const reign = home === undefined ? '' : ', reign_server = ?';
  return {
    text: `UPDATE ${keys.quoted} SET max_id = max(max_id, CAST(? AS integer))${reign}
WHERE family = ? AND sequence_key = ? RETURNING CAST(max_id AS text) AS max_id`,
    values: [floor, ...(home === undefined ? [] : [home]), family, keyToHex(key)],
  };
}

/**
 * Makes the row of a new key, at a floor or where new keys start; nothing if somebody else has made it.
 * While a change of the reign is pending in the family, the key may be one that was lost. So unless it is
 * `checked`, the row then names no database, and its next reservation skips what a restore costs.
 *
 * Twice: nothing more. Later: as a reservation that makes the key later. After the loss of the answer: made,
 * or to be repeated. On another file: made there only.
 */
export function bearKeyStatement(
  { segments, keys }: Tables,
  family: string,
  key: string,
  floor: number,
  { home, checked }: { readonly home: string; readonly checked: boolean },
): SqliteStatement {
  const values = { family: text(family), hex: text(keyToHex(key)), floor: integer(floor), home: text(home) };
  const bornIn = checked ? 'g.home' : 'iif(coalesce(s.reign_server, g.home) = g.home, g.home, NULL)';
  return {
    text: `INSERT INTO ${keys.quoted} (family, sequence_key, max_id, born_in)
SELECT g.family, g.hex, max(s.max_id, g.floor), ${bornIn} FROM ${given(values)}, ${segments.quoted} s
WHERE s.server_name = g.family
  AND NOT EXISTS (SELECT 1 FROM ${keys.quoted} k WHERE k.family = g.family AND k.sequence_key = g.hex)
RETURNING CAST(max_id AS text) AS max_id`,
    values: valuesOf(values),
  };
}
