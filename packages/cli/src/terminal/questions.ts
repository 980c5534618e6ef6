import { createInterface } from 'node:readline/promises';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { IdStrategy } from '@ids/core';
import type { DialectName } from '@ids/store';

/** Where a question is asked: a terminal, or two streams. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** What can be chosen, with what there is to say of it, and a name for it in the question. */
interface Choices {
  readonly question: string;
  readonly what: string;
  readonly notes: Readonly<Record<string, string>>;
  /** What an empty answer means; by default, itself. */
  readonly byDefault?: string;
}

/**
 * Lists the strategies and asks for one, by its number from 1 or its name. An answer that is no number of the
 * list is returned as it is: the caller checks names. Rejects with an `InvalidArgumentError` if the input
 * ends first.
 */
export function askStrategy(
  strategies: readonly Pick<IdStrategy, 'name' | 'optionNames'>[],
  terminal: Terminal,
): Promise<string> {
  const notes = strategies.map(({ name, optionNames }) => [name, `needs ${needsOf(optionNames)}`]);
  const question = 'Which strategy should issue the IDs?';
  return ask({ question, what: 'strategy', notes: Object.fromEntries(notes) }, terminal);
}

/** Asks in the same way for a kind of database. */
export function askDatabase(terminal: Terminal): Promise<string> {
  const notes: Record<DialectName, string> = {
    sqlite: 'a file, for the processes of one machine; needs no server',
    postgres: 'a server, for any number of machines',
    mysql: 'the same; also MariaDB',
  };
  const question = 'Which database should keep the sequence?';
  return ask({ question, what: 'database', notes, byDefault: 'sqlite' }, terminal);
}

async function ask(
  { question, what, notes, byDefault = '' }: Choices,
  { input, output }: Terminal,
): Promise<string> {
  const names = Object.keys(notes);
  const width = Math.max(...names.map((name) => name.length));
  output.write(names.map((name, i) => `${i + 1}  ${name.padEnd(width)}  ${notes[name]}\n`).join(''));
  const reader = createInterface({ input, output });
  try {
    // Ctrl-C and Ctrl-D close the reader; the question itself would then stay without an answer.
    const closed = new Promise<never>((_, reject) => {
      reader.once('close', () =>
        reject(new InvalidArgumentError(`no ${what} was chosen; nothing was written`)),
      );
    });
    const ofEnter = byDefault && `, Enter for ${byDefault}`;
    const asked = `${question} (1 to ${names.length}, or its name${ofEnter}) `;
    const answer = (await Promise.race([reader.question(asked), closed])).trim() || byDefault;
    return names[Number(answer) - 1] ?? answer;
  } finally {
    reader.close();
  }
}

/** What a strategy with these options needs, in words: `nothing` for one that makes IDs from memory alone. */
export function needsOf(optionNames: readonly string[]): string {
  if (optionNames.includes('url')) return 'a server of IDs';
  if (!optionNames.includes('database')) return 'nothing';
  return optionNames.includes('redis') ? 'Redis, and Postgres or MySQL' : 'a database, or a file of SQLite';
}
