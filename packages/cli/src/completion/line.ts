import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings';

/** What is being typed at the end of a command line. */
export interface TypedLine {
  /** `ids` itself before the name of a command. */
  readonly command: CommandUnknownOpts;
  /** The value of `--cwd` among the words before. */
  readonly cwd: string | undefined;
  /** What the last word is: the value of an option, an argument, or anything that begins with a dash. */
  readonly place: Option | Argument | 'option' | 'command' | undefined;
  /** The last word as far as it is typed; may be empty. */
  readonly start: string;
}

/** Reads the words after `ids`, as far as completion needs it: what commander would reject is left out. */
export function readLine(ids: CommandUnknownOpts, typed: readonly string[]): TypedLine {
  // bash makes a word of the sign in --from=order.
  const start = typed.at(-1) === '=' ? '' : (typed.at(-1) ?? '');
  let command = ids;
  let cwd: string | undefined;
  let pending: Option | undefined;
  let operands = 0;
  let isOver = false;
  for (const word of typed.slice(0, -1).filter((one) => one !== '=')) {
    if (pending !== undefined) {
      if (pending.long === '--cwd') cwd = word;
      pending = undefined;
    } else if (isOver || !word.startsWith('-')) {
      const found = command === ids ? ids.commands.find((one) => one.name() === word) : undefined;
      if (found === undefined) operands += 1;
      else command = found;
    } else if (word === '--') isOver = true;
    else
      pending = optionsOf(command, ids).find(
        (option) => isValued(option) && [option.long, option.short].includes(word),
      );
  }
  const place = pending ?? (start.startsWith('-') && !isOver ? 'option' : operandOf(command, ids, operands));
  return { command, cwd, place, start };
}

/** The options that a command accepts, with those of every command. */
export function optionsOf(command: CommandUnknownOpts, ids: CommandUnknownOpts): Option[] {
  const help = ids.createHelp();
  const own = help.visibleOptions(command);
  if (command === ids) return own;
  const names = new Set(own.map(({ long }) => long));
  return [...own, ...ids.options.filter(({ long }) => !names.has(long))];
}

function isValued({ required, optional }: Option): boolean {
  return required || optional;
}

function operandOf(
  command: CommandUnknownOpts,
  ids: CommandUnknownOpts,
  index: number,
): Argument | 'command' | undefined {
  if (command === ids) return index === 0 ? 'command' : undefined;
  return command.registeredArguments[index];
}
