import { IdError } from '@ids/core';
import { quotedTable } from '@ids/store';
import type { Run } from '@ids/store/postgres';
import { isSteadyZone } from '../groups/group-clock.js';
import type { SequenceGroup } from '../groups/sequence-group.js';
import { postgresZone } from './groups.js';

/*
 * Postgres reads `IST` as Israel and `CET` as +01:00 all year, because abbreviations come before zones there;
 * Node.js reads them as India, and as a zone with summer time. Whoever wrote such a name may mean either, so
 * both are asked.
 */

/** A zone that the database and this process read differently, at the first instant at which they do. */
interface ReadApart {
  /** What the database says at that instant, such as `+02:00`. */
  readonly there: string;
  /** What this process says. */
  readonly here: string;
  /** The date of that instant. */
  readonly on: string;
  /** What to write for what this process makes of the name; undefined if it has no better name for it. */
  readonly area: string | undefined;
  /** What to write for what the database makes of it; undefined if that is no fixed offset. */
  readonly offset: string | undefined;
}

/** Throws `ERR_IDS_CONFIG` unless groups of a new sequence begin when both say. */
export async function assertSameZone(run: Run, group: SequenceGroup | undefined): Promise<void> {
  const apart = group && (await readApart(run, group.timeZone));
  if (apart === undefined) return;
  const { area = 'a name with its area, such as "Europe/Berlin"', offset } = apart;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `option "group": "timeZone" must be read alike by the database and by this process, got ${differently(group?.timeZone, apart)}; write ${area} for what this process makes of it` +
      (offset === undefined ? '' : `, or "${offset}" for what the database makes of it`),
  );
}

/**
 * The same for a sequence that exists. A name with an area, such as `Africa/Casablanca`, means the same zone
 * to both, so a difference is one between versions of their tables: it is a warning, because an update of
 * Node.js must not prevent a service from starting.
 */
export async function zoneWarnings(
  run: Run,
  name: string,
  table: string,
  group: SequenceGroup | undefined,
): Promise<readonly string[]> {
  const apart = group && (await readApart(run, group.timeZone));
  if (group === undefined || apart === undefined) return [];
  const { area = 'a name with its area', offset } = apart;
  const what = `sequence ${JSON.stringify(name)} has groups by ${group.by} in ${differently(group.timeZone, apart)}`;
  if (group.timeZone.includes('/')) {
    return [`${what}: the days begin as the database says; update the older one of their time zone tables`];
  }
  const goOn =
    offset === undefined
      ? ''
      : `to go on as before, UPDATE ${quotedTable(table).table} SET time_zone = '${postgresZone({ ...group, timeZone: offset })}' WHERE server_name = '${name.replaceAll("'", "''")}', then write "${offset}" in option "group"; `;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `option "group": ${what}; ${goOn}for what this process makes of it, do the same with ${area}, at an hour at which both have the same date`,
  );
}

function differently(timeZone: string | undefined, { there, here, on }: ReadApart): string {
  return `"${timeZone}", which on ${on} is ${there} in the database and ${here} in this process`;
}

/** By its clock here, since only tables are compared: now, and in the winters and summers of two years. */
function instants(): number[] {
  const now = Math.floor(Date.now() / 1_000);
  const year = new Date().getUTCFullYear();
  const middleOf = (years: number, month: number): number => Date.UTC(year + years, month, 15) / 1_000;
  return [now, middleOf(0, 0), middleOf(0, 6), middleOf(1, 0), middleOf(1, 6)];
}

const OFFSETS = `
SELECT string_agg((extract(epoch FROM (i AT TIME ZONE $1::text) - (i AT TIME ZONE 'UTC'))::int)::text, ',' ORDER BY place) AS offsets
FROM (SELECT to_timestamp(s::float8) AS i, place FROM unnest(string_to_array($2::text, ',')) WITH ORDINALITY u(s, place)) p`;

async function readApart(run: Run, timeZone: string): Promise<ReadApart | undefined> {
  // Neither of them has to look up a fixed offset.
  if (isSteadyZone(timeZone)) return undefined;
  const at = instants();
  const [row] = await run(OFFSETS, [timeZone, at.join(',')]);
  const there = String(row?.offsets).split(',').map(Number);
  const zone = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const here = at.map((instant) => offsetOf(zone, instant));
  const first = at.findIndex((_, place) => there[place] !== here[place]);
  if (first < 0) return undefined;
  return {
    there: textOf(there[first] ?? 0),
    here: textOf(here[first] ?? 0),
    on: new Date((at[first] ?? 0) * 1_000).toISOString().slice(0, 10),
    area: areaOf(zone.resolvedOptions().timeZone),
    offset: new Set(there).size === 1 ? textOf(there[0] ?? 0) : undefined,
  };
}

/** How far clocks are ahead of UTC, in seconds. */
function offsetOf(zone: Intl.DateTimeFormat, instant: number): number {
  const name = zone.formatToParts(instant * 1_000).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? [];
  const distance = 3_600 * Number(hours) + 60 * Number(minutes) + Number(seconds);
  return sign === '-' ? -distance : distance;
}

/** Seconds as an offset that `SequenceGroup` accepts. */
function textOf(offset: number): string {
  const distance = Math.abs(offset);
  const parts = [distance / 3_600, (distance / 60) % 60, ...(distance % 60 === 0 ? [] : [distance % 60])];
  return `${offset < 0 ? '-' : '+'}${parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')}`;
}

/** V8 keeps the former name, which a server may not have. */
function areaOf(name: string): string | undefined {
  if (name === 'Asia/Calcutta') return '"Asia/Kolkata"';
  return name.includes('/') ? `"${name}"` : undefined;
}
