import { stripVTControlCharacters } from 'node:util';
import { secretHider } from '@ids/config';
import { unknownName } from '@ids/core/strategy';
import { defineCommand, renderUsage } from 'citty';
import {
  type CommandContext,
  EXIT,
  type ExitCode,
  exitCodeOf,
  type Subcommand,
  UsageError,
} from './command.js';
import { applyCommand } from './commands/apply.js';
import { doctorCommand } from './commands/doctor.js';
import { floorCommand } from './commands/floor.js';
import { initCommand } from './commands/init.js';
import { inspectCommand } from './commands/inspect.js';
import { nextCommand } from './commands/next.js';
import { swapCommand } from './commands/swap.js';

const commands: Readonly<Record<string, Subcommand>> = {
  next: nextCommand,
  inspect: inspectCommand,
  doctor: doctorCommand,
  init: initCommand,
  apply: applyCommand,
  swap: swapCommand,
  floor: floorCommand,
};

/**
 * The command `ids`, for applications that add their own strategies. Results go to `stdout`, errors to
 * `stderr`. Resolves with the exit code: 0 success, 1 failure, 2 wrong command line, 3 wrong config.
 */
export async function idsCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const [name, ...rest] = argv;
  try {
    if (name === undefined || name === '--help' || name === '-h') {
      (name === undefined ? context.stderr : context.stdout).write(await usage());
      return name === undefined ? EXIT.usage : EXIT.ok;
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) throw new UsageError(unknownName('command', name, Object.keys(commands)));
    // Before required arguments are checked.
    if (rest.includes('--help') || rest.includes('-h')) {
      context.stdout.write(await usage(name, command));
      return EXIT.ok;
    }
    return await command.run(rest, context);
  } catch (error) {
    report(error, name, context);
    return exitCodeOf(error);
  }
}

function report(error: unknown, name: string | undefined, { stderr, environment }: CommandContext): void {
  const message = error instanceof Error ? error.message || error.name : String(error);
  const hide = secretHider({ redis: environment.IDS_REDIS_URL, database: environment.IDS_DATABASE_URL });
  for (const line of hide(message).split('\n')) stderr.write(`ids: ${line}\n`);
  if (error instanceof UsageError)
    stderr.write(
      `ids: npx --no ids ${name !== undefined && Object.hasOwn(commands, name) ? `${name} ` : ''}--help shows the options\n`,
    );
}

async function usage(name?: string, command?: Subcommand): Promise<string> {
  const root = defineCommand({
    meta: {
      name: 'ids',
      description: 'Issue and inspect IDs, and set up and check what generators need',
    },
    subCommands: Object.fromEntries(
      Object.entries(commands).map(([key, { description }]) => [
        key,
        defineCommand({ meta: { name: key, description } }),
      ]),
    ),
  });
  const own =
    command &&
    defineCommand({ meta: { name: `ids ${name}`, description: command.description }, args: command.flags });
  return `${stripVTControlCharacters(await renderUsage(own ?? root))}\n`;
}
