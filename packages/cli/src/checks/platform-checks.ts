import { type Facts, type Platform, type PlatformStatus, recognise } from '../platforms/platform.js';
import { REDIS_PLATFORMS, redisFacts } from '../platforms/redis-platforms.js';
import { SQL_PLATFORMS } from '../platforms/sql-platforms.js';
import type { Check } from './check.js';

/** A platform that only its documentation vouches for is a warning; one that is refused must not be used. */
const STATUS: Readonly<Record<PlatformStatus, Check['status']>> = {
  tested: 'ok',
  documented: 'warning',
  refused: 'wrong',
  unknown: 'warning',
};

/** The statuses in words, as they are printed here and in docs/platforms.md. */
export const STATUS_WORDS: Readonly<Record<PlatformStatus, string>> = {
  tested: 'tested here',
  documented: 'by its documentation',
  refused: 'refused',
  unknown: 'unknown',
};

/** Which platform a Redis is, from its reply to INFO. */
export function redisPlatformCheck(info: string): Check {
  return platformCheck('redis platform', REDIS_PLATFORMS, redisFacts(info), 'redis_version');
}

/** Which platform a database is, from its row of `FACTS`. */
export function databasePlatformCheck(row: Facts): Check {
  return platformCheck('database platform', SQL_PLATFORMS, row, 'version()');
}

function platformCheck(
  what: string,
  platforms: readonly Platform[],
  facts: Facts,
  versionFact: string,
): Check {
  const found = recognise(platforms, facts);
  if (found === undefined) {
    const detail = `unknown: ${versionFact} "${facts[versionFact] ?? ''}" is not in docs/platforms.md`;
    return { what, status: 'warning', detail };
  }
  const { name, status, why, instead } = found;
  const advice = instead === undefined ? '' : `. Use ${instead}`;
  return { what, status: STATUS[status], detail: `${name}, ${STATUS_WORDS[status]}: ${why}${advice}` };
}
