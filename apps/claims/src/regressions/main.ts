import { regressionsCommand } from './command.js';

// Exits explicitly: a library may still hold something open.
process.exit(await regressionsCommand(process.argv.slice(2)));
