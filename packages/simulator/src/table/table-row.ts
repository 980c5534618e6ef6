/**
 * A row of the segment table, by its columns; `xmin` as Postgres keeps it, 32 bits of the transaction
 * that wrote this version.
 */
export interface TableRow {
  readonly server_name: string;
  readonly max_id: number;
  readonly realm: string;
  readonly group_by: null;
  readonly time_zone: null;
  readonly system_id: number | null;
  readonly timeline: string | null;
  readonly last_xact: number | null;
  readonly noticed: string | null;
  readonly xmin: number;
}

/** What a server is, as far as a reservation compares it. */
export interface ServerIdentity {
  readonly systemId: number;
  /** From 1; each promotion adds one. */
  readonly timeline: number;
}

/** How much of it the role may ask: as `ReignGuard` of `@ids/segment`. */
export type ReignGuard = 'full' | 'row' | 'off';

/** A number as Postgres stores the transaction that wrote a row. */
export function xminOf(xact: number): number {
  return xact % 2 ** 32;
}

export function timelineName(timeline: number): string {
  return timeline.toString(16).padStart(8, '0').toUpperCase();
}

/**
 * What the next reservation notices, by the table of decision 18. Written without a look at the SQL: it says
 * which losses are covered, so it must not change when a guard is taken out of the statements.
 */
export function changeOf(
  { system_id, timeline, last_xact, xmin }: TableRow,
  here: ServerIdentity,
  guard: ReignGuard,
): 'failover' | 'restore' | undefined {
  if (guard === 'off') return undefined;
  if (last_xact !== null && xminOf(last_xact) !== xmin) return 'restore';
  if (guard === 'row') return undefined;
  if (system_id !== null && system_id !== here.systemId) return 'restore';
  return timeline !== null && timeline !== timelineName(here.timeline) ? 'failover' : undefined;
}
