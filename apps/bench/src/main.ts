import { benchCommand } from './cli/bench-command.js';
import { caseList } from './strategies.js';

// An explicit end: whatever a library still holds open is of no use any more.
process.exit(await benchCommand(caseList, process.argv.slice(2)));
