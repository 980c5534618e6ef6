import { claimsCommand } from './command.js';
import { claimList } from './list.js';

// Exits explicitly: a library may still hold something open.
process.exit(await claimsCommand(claimList, process.argv.slice(2)));
