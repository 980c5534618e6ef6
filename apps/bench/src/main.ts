#!/usr/bin/env node
import { caseList } from './cases/strategies.js';
import { benchCommand } from './cli/command.js';

// Exits explicitly: a library may still hold something open.
process.exit(await benchCommand(caseList, process.argv.slice(2)));
