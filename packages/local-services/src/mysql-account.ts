import mysql from 'mysql2/promise';
import { uniqueName } from './isolation.js';

/** An account that may log in and has no other rights until somebody grants them. */
export interface MysqlAccount {
  readonly name: string;
  /** The URL it was created with, with the name and the password of the account. */
  readonly url: string;
  /** Runs one statement as the user of the URL it was created with, for instance to grant rights. */
  run(sql: string): Promise<void>;
  /** Drops the account and its rights. */
  close(): Promise<void>;
}

/** Creates an account on the MariaDB or MySQL at `url`, whose user must be allowed to do that. */
export async function createMysqlAccount(
  url: string,
  name: string = uniqueName('role'),
): Promise<MysqlAccount> {
  const admin = mysql.createPool({ uri: url, connectionLimit: 1 });
  const run = async (sql: string) => void (await admin.query(sql));
  const own = new URL(url);
  own.username = name;
  own.password = uniqueName('password');
  try {
    await run(`CREATE USER '${name}'@'%' IDENTIFIED BY '${own.password}'`);
  } catch (error) {
    await admin.end();
    throw error;
  }
  return {
    name,
    url: own.href,
    run,
    async close() {
      await run(`DROP USER '${name}'@'%'`);
      await admin.end();
    },
  };
}
