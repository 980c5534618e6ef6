import { createInterface } from 'node:readline/promises';
import type { IdStrategy } from '@ids/core';
import { UsageError } from './command.js';

/** Where a question is asked: a terminal, or two streams. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Lists the strategies and asks for one, by its number from 1 or its name. An answer that is no number of the
 * list is returned as it is: the caller checks names. Rejects with a `UsageError` if the input ends first.
 */
export async function askStrategy(
  strategies: readonly Pick<IdStrategy, 'name' | 'optionNames'>[],
  { input, output }: Terminal,
): Promise<string> {
  const width = Math.max(...strategies.map(({ name }) => name.length));
  const lines = strategies.map(
    ({ name, optionNames }, i) => `${i + 1}  ${name.padEnd(width)}  needs ${needsOf(optionNames)}\n`,
  );
  output.write(lines.join(''));
  const reader = createInterface({ input, output });
  try {
    // Ctrl-C and Ctrl-D close the reader; the question itself would then stay without an answer.
    const closed = new Promise<never>((_, reject) => {
      reader.once('close', () => reject(new UsageError('no strategy was chosen; nothing was written')));
    });
    const question = `Which strategy should issue the IDs? (1 to ${strategies.length}, or its name) `;
    const answer = (await Promise.race([reader.question(question), closed])).trim();
    return strategies[Number(answer) - 1]?.name ?? answer;
  } finally {
    reader.close();
  }
}

function needsOf(optionNames: readonly string[]): string {
  const backends = [optionNames.includes('redis') && 'Redis', optionNames.includes('database') && 'Postgres'];
  return backends.filter(Boolean).join(' and ') || 'nothing';
}
