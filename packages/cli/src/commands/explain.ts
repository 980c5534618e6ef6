import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type IdError, isIdError } from '@ids/core';
import { unknownNameMessage } from '@ids/core/strategy';
import { type AddCommand, EXIT } from '../terminal/command.js';
import { writeJson, writeTable } from '../terminal/output.js';

/** One section for each code of `IdError`, under a heading that is the code. */
const FILE = new URL('../../errors.md', import.meta.url);

/** Whether an error needs more than its message, which for a wrong config says what is accepted. */
export function isExplained(error: unknown): error is IdError {
  return isIdError(error) && error.code !== 'ERR_IDS_CONFIG' && error.code !== 'ERR_IDS_UNMET';
}

/** Prints what an error code means and what to do. */
export const addExplain: AddCommand = (ids, actionOf) =>
  ids
    .command('explain')
    .description('Print what an error code means, and what to do')
    .argument('[code]', 'such as ERR_IDS_TIMEOUT (default: list the codes)')
    .action(
      actionOf(async ({ stdout, json }, asked) => {
        const all = await explanations();
        if (asked === undefined) {
          if (json) writeJson(stdout, all);
          else
            writeTable(
              stdout,
              ['code', 'when'],
              all.map(({ code, when }) => ({ cells: [code, when] })),
            );
          return EXIT.ok;
        }
        const found = all.find(({ code }) => code === asked.toUpperCase());
        if (found === undefined) {
          const known = all.map(({ code }) => code);
          throw new InvalidArgumentError(unknownNameMessage('error code', asked, known));
        }
        if (json) writeJson(stdout, found);
        else stdout.write(`${found.code}\n\n${found.text}\n`);
        return EXIT.ok;
      }),
    );

export interface Explanation {
  readonly code: string;
  /** The first sentence: when there is this error. */
  readonly when: string;
  /** All of it, in Markdown, whose links have lost their targets: those are files of the repository. */
  readonly text: string;
}

/** What the page says of each code, in its order. */
export async function explanations(): Promise<readonly Explanation[]> {
  const page = await readFile(FILE, 'utf8');
  const sections = page.split(/^## (?=ERR_IDS_)/m).slice(1);
  return sections.map((section) => {
    const code = /^\w+/.exec(section)?.[0] ?? '';
    const text = section
      .slice(code.length)
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim();
    const when = /^.*?\.(?=\s)/s.exec(text)?.[0] ?? text;
    return { code, when: when.replace(/\s+/g, ' '), text };
  });
}
