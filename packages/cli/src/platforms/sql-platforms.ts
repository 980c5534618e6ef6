import type { Platform } from './platform.js';

const POSTGRES = 'Postgres 14 to 18';

/** By hand: `postgres` of that version was first on the PATH. */
const ONCE = 'the integration tests of segment passed once on it, run by hand: version';

/** What the database of `segment-inproc`, `segment-redis-db` and `snowflake` may be. */
export const SQL_PLATFORMS: readonly Platform[] = [
  {
    name: 'CockroachDB',
    status: 'refused',
    why: '"Statement-level triggers are not supported", so the trigger that rejects TRUNCATE cannot be created',
    source: 'https://www.cockroachlabs.com/docs/stable/known-limitations',
    instead: POSTGRES,
    signs: [{ fact: 'version()', starts: 'CockroachDB' }],
  },
  {
    name: 'YugabyteDB',
    status: 'refused',
    why: 'the system column xmin, by which a reservation notices that its row was restored, is not supported there',
    source: 'https://github.com/yugabyte/yugabyte-db/issues/24843',
    instead: POSTGRES,
    signs: [{ fact: 'version()', contains: '-YB-' }],
  },
  {
    name: 'Neon',
    status: 'documented',
    why: 'a commit counts when a quorum of its safekeepers has the log; a branch that is restored leaves no trace: call setFloor',
    source: 'https://neon.com/docs/introduction/architecture',
    signs: [{ fact: 'settings', contains: ' neon ' }],
  },
  {
    name: 'Aurora',
    status: 'unknown',
    why: 'pg_current_wal_lsn, by which promotions are noticed, fails there unless wal_level is logical, of which describe warns, and no page says whether a failover changes the timeline',
    source: 'https://github.com/mackerelio/mackerel-agent-plugins/pull/804',
    instead: POSTGRES,
    signs: [{ fact: 'settings', contains: ' aurora ' }],
  },
  {
    name: 'RDS for PostgreSQL',
    status: 'documented',
    why: 'it runs Postgres, and a Multi-AZ deployment writes synchronously to a standby in another zone',
    source: 'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.MultiAZSingleStandby.html',
    signs: [{ fact: 'settings', contains: ' rds ' }],
  },
  {
    name: 'Cloud SQL for PostgreSQL',
    status: 'documented',
    why: 'it runs Postgres, and with high availability a commit is on the disks of two zones before it is reported',
    source: 'https://docs.cloud.google.com/sql/docs/postgres/high-availability',
    signs: [{ fact: 'settings', contains: ' cloudsql ' }],
  },
  {
    name: 'Supabase',
    status: 'documented',
    why: 'each project is "a full Postgres database — not a Postgres abstraction"',
    source: 'https://supabase.com/docs/guides/database',
    signs: [],
    looksLike: 'the Postgres that it runs',
  },
  {
    name: 'PGlite',
    status: 'tested',
    why: 'each change of this project runs the tests of the store on it, inside the process; it has no standbys',
    signs: [{ fact: 'version()', contains: '(PGlite ' }],
  },
  {
    name: 'Cloudflare D1',
    status: 'documented',
    why: 'a session that begins with first-primary reads from the primary; each night the tests run on the D1 of workerd, not on the service; a restore is not noticed: call setFloor',
    source: 'https://developers.cloudflare.com/d1/best-practices/read-replication/',
    signs: [],
  },
  {
    name: 'Durable Objects',
    status: 'documented',
    why: 'sync() resolves when what was written is durable; each night the tests run in the objects of workerd, not on the service; a point-in-time recovery is not noticed: call setFloor',
    source: 'https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/',
    signs: [],
  },
  ...['18.4', '17.10', '16.14'].map(byHand),
  {
    name: 'Postgres 15',
    status: 'tested',
    why: 'each change of this project runs the tests on Postgres 15',
    signs: [{ fact: 'version()', starts: 'PostgreSQL 15.' }],
  },
  byHand('14.23'),
  {
    name: 'MariaDB 10.11',
    status: 'tested',
    why: 'each change of this project runs the tests of the store on it; some guards are weaker than on Postgres, see segments.md',
    signs: [{ fact: 'version()', starts: 'MariaDB 10.11.' }],
  },
  {
    name: 'MariaDB, other versions',
    status: 'documented',
    why: 'LAST_INSERT_ID(expr), CHECK constraints and triggers are in all versions that are maintained',
    source: 'https://mariadb.com/kb/en/last_insert_id/',
    signs: [{ fact: 'version()', starts: 'MariaDB ' }],
  },
  {
    name: 'MySQL 9.7',
    status: 'tested',
    why: 'integration tests of segment passed once on 9.7.4, run by hand: contract, guards, grant log, least rights, restored dumps; the tests that crash a server run on MariaDB only',
    signs: [{ fact: 'version()', starts: 'MySQL 9.7.' }],
  },
  {
    name: 'MySQL 8',
    status: 'documented',
    why: 'LAST_INSERT_ID(expr) in an UPDATE is how its manual numbers rows; CHECK constraints are enforced from 8.0.16 on',
    source: 'https://dev.mysql.com/doc/refman/8.0/en/information-functions.html',
    signs: [{ fact: 'version()', starts: 'MySQL 8.' }],
  },
];

function byHand(version: string): Platform {
  const [major] = version.split('.');
  return {
    name: `Postgres ${major}`,
    status: 'tested',
    why: `${ONCE} ${version}`,
    signs: [{ fact: 'version()', starts: `PostgreSQL ${major}.` }],
  };
}

/**
 * What a database says of itself, as `Facts`: `settings` are the prefixes of the settings that it adds to
 * those of Postgres, between spaces. Reads only, so it may run any number of times.
 */
export const FACTS = `
SELECT version() AS "version()", (
  SELECT ' ' || string_agg(DISTINCT split_part(name, '.', 1), ' ') || ' '
  FROM pg_settings WHERE name LIKE '%.%') AS settings`;
