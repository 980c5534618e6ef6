import { IdError } from '@ids/core';
import { numberOf } from '@ids/store/mysql';
import { CLOCK_TOLERANCE_MS, isSteadyZone, offsetMs } from '../groups/group-clock.js';
import { GROUP_CAPACITY, type GroupUnit, type SequenceGroup } from '../groups/sequence-group.js';

/*
 * Groups, by the server's clock. Only fixed offsets: a name of a zone means what the tables of the server
 * say, which are empty unless somebody has loaded them, and a replica may have others.
 */

/** Why groups in this zone are refused; undefined if they are not. */
export function zoneProblem({ timeZone }: SequenceGroup): IdError | undefined {
  if (isSteadyZone(timeZone)) return undefined;
  return new IdError(
    'ERR_IDS_CONFIG',
    `option "group": "timeZone" must be "UTC" or an offset such as "+08:00" on MySQL, got "${timeZone}"; ` +
      'for a zone that changes its clocks, keep the sequence in Postgres',
  );
}

/** When the statement arrived, by the server's clock, in milliseconds since 1970. */
export const NOW_MS = `CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000 AS char)`;

const FORMAT: Readonly<Record<GroupUnit, string>> = { day: '%Y%m%d', month: '%Y%m', year: '%Y' };

/**
 * As `groupAt`, computed by the server for the moment at which the statement arrived: for statements that are
 * sent without reading its clock before.
 */
export function mysqlGroupNow(group: SequenceGroup): { readonly base: string; readonly limit: string } {
  const capacity = numberOf(GROUP_CAPACITY[group.by]);
  const date = (aheadMs: number): string => {
    const seconds = (offsetMs(group.timeZone) + aheadMs) / 1_000;
    return `CAST(DATE_FORMAT(UTC_TIMESTAMP() + INTERVAL ${seconds} SECOND, '${FORMAT[group.by]}') AS signed)`;
  };
  return {
    base: `${date(0)} * ${capacity}`,
    limit: `(${date(CLOCK_TOLERANCE_MS)} + 1) * ${capacity}`,
  };
}
