import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type AddCommand, EXIT } from '../terminal/command.js';
import { writeJson } from '../terminal/output.js';

const FILE = new URL('../../skills/choosing-ids/SKILL.md', import.meta.url);

/** Prints the instructions with which a coding agent chooses IDs. */
export const addSkill: AddCommand = (ids, actionOf) =>
  ids
    .command('skill')
    .description('Print instructions for coding agents: which IDs to use')
    .action(
      actionOf(async ({ stdout, json }) => {
        const text = await readFile(FILE, 'utf8');
        if (json) writeJson(stdout, { path: fileURLToPath(FILE), text });
        else stdout.write(text);
        return EXIT.ok;
      }),
    );
