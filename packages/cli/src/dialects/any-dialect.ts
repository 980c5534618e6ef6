import { anyDialect } from '@ids/store';
import { mysql } from './mysql.js';
import { postgres } from './postgres.js';
import { sqlite } from './sqlite.js';

/** What the commands do on the database of an executor, or on the one that is named. */
export const { of: dialectOf } = anyDialect({ postgres, mysql, sqlite });
