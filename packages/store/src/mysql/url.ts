import { IdError } from '@ids/core';

/** The options of a TLS connection, as mysql2 takes them. */
export interface MysqlTls {
  readonly rejectUnauthorized: boolean;
  readonly verifyIdentity: boolean;
}

const UNVERIFIED: MysqlTls = { rejectUnauthorized: false, verifyIdentity: false };
const OF_AUTHORITY: MysqlTls = { rejectUnauthorized: true, verifyIdentity: false };
const OF_HOST: MysqlTls = { rejectUnauthorized: true, verifyIdentity: true };

/** The modes of MySQL: https://dev.mysql.com/doc/refman/8.4/en/connection-options.html */
const MODES: Readonly<Record<string, MysqlTls | undefined>> = {
  DISABLED: undefined,
  REQUIRED: UNVERIFIED,
  VERIFY_CA: OF_AUTHORITY,
  VERIFY_IDENTITY: OF_HOST,
};
const MODES_RULE = `"ssl-mode" must be ${Object.keys(MODES).join(', ')}`;

/**
 * A URL without what mysql2 would ignore or not understand, and its TLS options. `ssl` remains in the URL if
 * it is an object or a profile of mysql2. Throws `ERR_IDS_CONFIG` for what cannot be done: a connection that
 * is not encrypted, although its URL says so, would go unnoticed.
 */
export function withoutTls(url: string): { readonly uri: string; readonly ssl: MysqlTls | undefined } {
  const own = new URL(url);
  let ssl: MysqlTls | undefined;
  for (const [name, value] of [...own.searchParams]) {
    if (name === 'ssl-mode') ssl = ofMode(value);
    else if (name === 'ssl' && /^(?:true|1)$/.test(value)) ssl = OF_HOST;
    else if (name === 'ssl' && /^(?:false|0)$/.test(value)) ssl = undefined;
    else if (name === 'ssl') continue;
    else if (/ssl|tls/i.test(name)) throw refused(`it does not know "${name}"; ${MODES_RULE}`);
    else continue;
    own.searchParams.delete(name);
  }
  return { uri: own.href, ssl };
}

function ofMode(value: string): MysqlTls | undefined {
  const mode = value.toUpperCase();
  if (Object.hasOwn(MODES, mode)) return MODES[mode];
  throw refused(`${MODES_RULE}, got "${value}"`);
}

function refused(why: string): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `the database URL: ${why}; or pass a pool of mysql2 with the option "ssl"`,
  );
}
