import {
  asResult,
  type CommonArguments,
  commonArguments,
  commonFlags,
  parseFlags,
  runCommand,
  UsageError,
} from '@ids/bench/command';
import type { ClaimList } from './list.js';
import { runClaims } from './run.js';

const flags = {
  ...commonFlags,
  quick: { ...commonFlags.quick, description: 'a few minutes (default)' },
  full: { ...commonFlags.full, description: 'more and longer blocks' },
  ci: { ...commonFlags.ci, description: 'plain progress lines; exit with 1 if a claim misses' },
  only: { ...commonFlags.only, description: 'the claims of these packages only' },
} as const;

/** Throws a `UsageError` for anything unknown: nothing is ignored. */
export function parseArguments(argv: readonly string[]): CommonArguments {
  const args = parseFlags(argv, flags);
  const [stray] = args._;
  if (stray !== undefined) throw new UsageError(`unexpected argument "${stray}"`);
  return commonArguments(args);
}

/** `pnpm claims`. Resolves with the exit code. */
export function claimsCommand(list: ClaimList, argv: readonly string[]): Promise<number> {
  return runCommand(
    {
      name: 'claims',
      usage: {
        meta: {
          name: 'claims',
          description:
            'Checks whether packages are as fast as their READMEs say: "holds", "misses" or "unclear".',
        },
        args: flags,
      },
      parse: parseArguments,
      measure: async (_, options) => asResult({ ...options, processes: 1 }, await runClaims(list, options)),
    },
    argv,
  );
}
