import { runKeyedKit } from './support/keyed-kit.js';

runKeyedKit('Postgres');
runKeyedKit('MariaDB');
runKeyedKit('SQLite');

const group = { by: 'year', timeZone: '+08:00' } as const;
runKeyedKit('Postgres', group);
runKeyedKit('MariaDB', group);
runKeyedKit('SQLite', group);
