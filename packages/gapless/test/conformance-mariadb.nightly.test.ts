import { MARIADB } from './integration/number-database.js';
import { runKit } from './support/kit-runs.js';

runKit(MARIADB);
