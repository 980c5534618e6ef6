import type { Guard } from '../guard.js';

const WRITTEN_BY_ANOTHER = 'NOT s.last_xact % 4294967296 = s.xmin::text::bigint';

/** The guards of the segment table, in the statements that `SqlSegmentSource` sends. */
export const TABLE_GUARDS: readonly Guard[] = [
  { name: 'writer of a row', out: [[`${WRITTEN_BY_ANOTHER} OR`, '']] },
  { name: 'identity of a server', out: [[' OR s.system_id <> here_id', '']] },
  { name: 'timeline of a server', out: [[`WHEN s.timeline <> here_timeline THEN 'failover'`, '']] },
  { name: 'floor of a reservation', out: [['GREATEST(max_id, $3::bigint', 'GREATEST(max_id']] },
  { name: 'rise above the row', out: [['GREATEST(max_id, $3::bigint', 'GREATEST($3::bigint']] },
  { name: 'rise to a floor', out: [['GREATEST(max_id, $2::bigint)', '$2::bigint']] },
  {
    name: 'warning of the standby',
    out: [
      ["set_config('client_min_messages', 'warning', true)", "set_config('application_name', 'ids', true)"],
    ],
  },
  {
    name: 'wait for the standby',
    out: [["set_config('synchronous_commit', 'on', true)", "set_config('application_name', 'ids', true)"]],
  },
  { name: 'expected maxId', out: [['OR max_id = $3::bigint)', 'OR $3::bigint IS NOT NULL)']] },
];
