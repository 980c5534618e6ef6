import { describe, expect, it } from 'vitest';
import { databasePlatformCheck, redisPlatformCheck } from '../src/checks/platform-checks.js';
import { recognise } from '../src/platforms/platform.js';
import { REDIS_PLATFORMS } from '../src/platforms/redis-platforms.js';
import { SQL_PLATFORMS } from '../src/platforms/sql-platforms.js';

/** What servers say in INFO, shortened to the lines that tell them apart and some that do not. */
const SAID_BY_REDIS: readonly (readonly [string, readonly string[]])[] = [
  ['Redis 6.2', ['redis_version:6.2.14', 'redis_mode:standalone', 'role:master']],
  ['Redis 7', ['redis_version:7.0.15', 'os:Linux 6.1.0 x86_64', 'role:master', 'cluster_enabled:0']],
  ['Redis 7', ['redis_version:7.4.2', 'role:slave']],
  ['Redis 8', ['redis_version:8.0.2', 'executable:/usr/bin/redis-server', 'role:master']],
  ['Valkey 8', ['redis_version:7.2.4', 'server_name:valkey', 'valkey_version:8.1.1', 'role:master']],
  [
    'Valkey, other versions',
    ['redis_version:7.2.4', 'server_name:valkey', 'valkey_version:9.0.0', 'role:master'],
  ],
  ['KeyDB', ['redis_version:6.3.4', 'role:master', '# KeyDB', 'mvcc_depth:0']],
  ['KeyDB with active-replica', ['redis_version:6.3.4', 'role:active-replica', '# KeyDB', 'mvcc_depth:0']],
  ['Dragonfly', ['redis_version:7.4.0', 'dragonfly_version:df-v1.40.1', 'role:master']],
  ['Redis Software and Redis Cloud', ['redis_version:7.4.0', 'rlec_version:7.22.0-28', 'role:master']],
  ['Upstash', ['upstash_version:1.10.5', 'redis_version:6.2.6']],
  ['ElastiCache with nodes', ['redis_version:6.2.5', 'os:Amazon ElastiCache', 'role:master']],
  [
    'ElastiCache with nodes',
    ['redis_version:7.2.4', 'valkey_version:8.0.1', 'os:Amazon ElastiCache', 'role:master'],
  ],
];

const SAID_BY_DATABASES: readonly (readonly [string, string, string?])[] = [
  ['Postgres 14', 'PostgreSQL 14.23 on x86_64-pc-linux-gnu, compiled by gcc'],
  ['Postgres 15', 'PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu'],
  ['Postgres 16', 'PostgreSQL 16.14 on x86_64-pc-linux-gnu, compiled by gcc'],
  ['Postgres 17', 'PostgreSQL 17.10 on x86_64-pc-linux-gnu, compiled by gcc'],
  ['Postgres 18', 'PostgreSQL 18.4 on x86_64-pc-linux-gnu', ' plpgsql '],
  ['PGlite', 'PostgreSQL 18.6 (PGlite 0.5.16) on wasm32-unknown-emscripten, compiled by emcc'],
  ['CockroachDB', 'CockroachDB CCL v24.3.0 (x86_64-pc-linux-gnu, built 2024/11/18, go1.22.8)'],
  ['YugabyteDB', 'PostgreSQL 15.2-YB-2025.1.2.0-b0 on x86_64-pc-linux-gnu'],
  ['Neon', 'PostgreSQL 17.5 (6bc9ef8) on aarch64-unknown-linux-gnu', ' neon pg_stat_statements '],
  ['Aurora', 'PostgreSQL 16.6 on aarch64-unknown-linux-gnu', ' aurora plpgsql rds '],
  ['RDS for PostgreSQL', 'PostgreSQL 16.6 on aarch64-unknown-linux-gnu', ' plpgsql rds '],
  ['MariaDB 10.11', 'MariaDB 10.11.19-MariaDB-0+deb12u1'],
  ['MariaDB, other versions', 'MariaDB 11.4.5-MariaDB-ubu2404'],
  ['MySQL 8', 'MySQL 8.4.5'],
  ['MySQL 9.7', 'MySQL 9.7.4-2'],
  ['Cloud SQL for PostgreSQL', 'PostgreSQL 16.8 on x86_64-pc-linux-gnu', ' cloudsql '],
];

const infoOf = (lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('');

describe('a platform', () => {
  it.each(SAID_BY_REDIS)('is recognised from INFO: %s', (name, lines) => {
    expect(redisPlatformCheck(infoOf(lines)).detail).toMatch(new RegExp(`^${name}, `));
  });

  it.each(SAID_BY_DATABASES)('is recognised from version() and settings: %s', (name, version, settings) => {
    expect(recognise(SQL_PLATFORMS, { 'version()': version, settings })?.name).toBe(name);
  });

  it('is unknown if it is not in the table, and its version is named', () => {
    expect(redisPlatformCheck('redis_version:5.0.14\r\nrole:master\r\n')).toEqual({
      what: 'redis platform',
      status: 'warning',
      detail: 'unknown: redis_version "5.0.14" is not in docs/platforms.md',
    });
    expect(databasePlatformCheck({ 'version()': 'PostgreSQL 13.22 on x86_64' })).toEqual({
      what: 'database platform',
      status: 'warning',
      detail: 'unknown: version() "PostgreSQL 13.22 on x86_64" is not in docs/platforms.md',
    });
  });

  it('is a warning by its documentation, and wrong if refused, with what to use instead', () => {
    expect(redisPlatformCheck('redis_version:6.2.14\r\n')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/^Redis 6\.2, by its documentation: /),
    });
    expect(redisPlatformCheck('dragonfly_version:df-v1.40.1\r\n')).toMatchObject({
      status: 'wrong',
      detail: expect.stringMatching(
        /^Dragonfly, refused: .*\. Use .*segment-inproc with order: 'real-time', on the database alone$/,
      ),
    });
    expect(databasePlatformCheck({ 'version()': 'CockroachDB CCL v24.3.0' })).toMatchObject({
      status: 'wrong',
      detail: expect.stringMatching(/^CockroachDB, refused: .*\. Use Postgres 14 to 18$/),
    });
  });
});

describe('the tables of platforms', () => {
  const all = [...REDIS_PLATFORMS, ...SQL_PLATFORMS];

  it('have a name once only', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  it.each(all)('say of $name what its status needs', ({ status, source, instead, why }) => {
    expect(why).not.toMatch(/\.$/);
    if (status === 'documented' || status === 'refused') expect(source).toMatch(/^https:\/\/[^ ]+$/);
    if (status === 'refused') expect(instead).toBeTruthy();
  });

  it('have a recorded reply for every platform with signs', () => {
    const recorded = new Set([...SAID_BY_REDIS, ...SAID_BY_DATABASES].map(([name]) => name));
    const missing = all.filter(({ name, signs }) => signs.length > 0 && !recorded.has(name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});
