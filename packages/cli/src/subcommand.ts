import type { ArgsDef, ParsedArgs } from 'citty';
import { parseFlags } from './arguments.js';
import type { CommandContext } from './context.js';
import type { ExitCode } from './exit-code.js';
import { loadStrategies } from './load-strategies.js';

/** One of the commands. */
export interface Subcommand {
  readonly description: string;
  readonly flags: ArgsDef;
  run(argv: readonly string[], context: CommandContext): Promise<ExitCode>;
}

export function subcommand<const Flags extends ArgsDef>(
  description: string,
  flags: Flags,
  run: (args: ParsedArgs<Flags>, context: CommandContext) => Promise<ExitCode>,
): Subcommand {
  return {
    description,
    flags,
    run: async (argv, context) => {
      const args = parseFlags(argv, flags);
      const { cwd = context.cwd, strategies } = args as {
        readonly cwd?: string;
        readonly strategies?: string;
      };
      if (strategies === undefined) return run(args, { ...context, cwd });
      const loaded = await loadStrategies(context.cwd, strategies);
      return run(args, { ...context, cwd, strategies: loaded, serviceStrategies: loaded });
    },
  };
}
