import { POSTGRES } from './integration/number-database.js';
import { runKit } from './support/kit-runs.js';

runKit(POSTGRES);
