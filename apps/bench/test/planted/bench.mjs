// The bench as users run it, with other strategies.
import { benchCommand } from '../../dist/cli/command.js';
import { cases } from './cases.mjs';

const list = { url: new URL('./cases.mjs', import.meta.url).href, cases };
process.exit(await benchCommand(list, process.argv.slice(2)));
