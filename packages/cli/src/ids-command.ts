import { readFileSync } from 'node:fs';
import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  InvalidArgumentError,
  type Option,
} from '@commander-js/extra-typings';
import { secretHider } from '@ids/config';
import { unknownNameMessage } from '@ids/core/strategy';
import { addApply } from './commands/apply.js';
import { addCompletion } from './commands/completion.js';
import { addDoctor } from './commands/doctor.js';
import { addExplain, isExplained } from './commands/explain.js';
import { addFloor } from './commands/floor.js';
import { addGaps } from './commands/gaps.js';
import { addInit } from './commands/init.js';
import { addInspect } from './commands/inspect.js';
import { addMigrate } from './commands/migrate.js';
import { addNext } from './commands/next.js';
import { addSkill } from './commands/skill.js';
import { addSwap } from './commands/swap.js';
import {
  type ActionOf,
  type CommandContext,
  EXIT,
  type ExitCode,
  exitCodeOf,
  withOptions,
} from './terminal/command.js';

const { version: VERSION }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/**
 * The command `ids`, for applications that add their own strategies. Results go to `stdout`, errors to
 * `stderr`. Resolves with the exit code: 0 success, 1 failure, 2 wrong command line, 3 wrong config.
 */
export async function idsCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const { stdout, stderr } = context;
  let code: ExitCode = EXIT.ok;
  const ids = new Command('ids')
    .description('Issue and inspect IDs, and set up and check what generators need')
    .option('--cwd <dir>', 'folder that contains ids.config.* (default: the current one)')
    .option('--strategies <module>', 'module that exports the strategies (default: those of this family)')
    .option('--json', 'print the result as JSON')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .version(VERSION, '-V, --version', 'print the version of @ids/cli')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // Thrown as well, and reported below like all other errors.
      outputError: () => {},
    })
    .exitOverride();
  const actionOf: ActionOf =
    (run) =>
    async (...args) => {
      code = await run(await withOptions(context, ids.opts()), ...args);
    };
  for (const add of [
    addNext,
    addInspect,
    addDoctor,
    addInit,
    addApply,
    addSwap,
    addMigrate,
    addFloor,
    addGaps,
    addExplain,
    addCompletion,
    addSkill,
  ])
    add(ids, actionOf);
  addHelp(ids);
  try {
    await ids.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    const printed = error instanceof CommanderError && /^commander\.(help|version)/.test(error.code);
    if (!printed) report(error, ids, context);
    return exitCodeOf(error);
  }
}

/** Not the help command of commander, which does not say that it knows no command of a name. */
function addHelp(ids: CommandUnknownOpts): void {
  ids
    .command('help')
    .description('Print this help, or that of a command')
    .argument('[command]')
    .action((name) => {
      if (name === undefined) return ids.outputHelp();
      const command = ids.commands.find((one) => one.name() === name);
      const known = ids.commands.map((one) => one.name());
      if (command === undefined) throw new InvalidArgumentError(unknownNameMessage('command', name, known));
      command.outputHelp();
    });
}

function report(error: unknown, ids: CommandUnknownOpts, { stderr, environment }: CommandContext): void {
  // For `help`, the options are those of `ids`.
  const command = ids.commands.find((one) => one.name() === ids.args[0] && one.name() !== 'help');
  const hide = secretHider({ redis: environment.IDS_REDIS_URL, database: environment.IDS_DATABASE_URL });
  const lines = hide(messageOf(error, [...(command?.options ?? []), ...ids.options])).split('\n');
  if (exitCodeOf(error) === EXIT.usage) {
    const asked = ['npx --no -- ids', ...(command ? [command.name()] : []), '--help'].join(' ');
    lines.push(`${asked} shows the options`);
  } else if (isExplained(error)) {
    lines.push(`npx --no -- ids explain ${error.code} shows what to do`);
  }
  for (const line of lines) stderr.write(`ids: ${line}\n`);
}

function messageOf(error: unknown, options: readonly Option[]): string {
  const message = error instanceof Error ? error.message || error.name : String(error);
  // commander looks for the name nearest to the whole of --name=value, and finds none.
  const [, unknown] = /^error: unknown option '([^'=]+)/.exec(message) ?? [];
  if (unknown === undefined) return message.replace(/^error: /, '');
  const known = options.flatMap(({ long }) => long ?? []);
  return unknownNameMessage('option', unknown, known);
}
