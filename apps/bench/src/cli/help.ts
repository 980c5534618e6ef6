// Imports no package of this workspace: `pnpm bench --help` reads this file before anything is built.
import { stripVTControlCharacters } from 'node:util';
import { type CommandDef, renderUsage } from 'citty';

/** What `--help` prints. */
export async function helpText(usage: CommandDef): Promise<string> {
  return `${stripVTControlCharacters(await renderUsage(usage))}\n`;
}
