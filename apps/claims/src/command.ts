import {
  asResult,
  type CommonArguments,
  commonArguments,
  measuringCommand,
  parseFlags,
  runCommand,
} from '@ids/bench/command';
import type { ClaimList } from './list.js';
import { runClaims } from './run.js';

const DESCRIPTION =
  'Checks whether packages are as fast as their READMEs say: "holds", "misses" or "unclear".';

/** Throws a `UsageError` for anything unknown: nothing is ignored. */
export function parseArguments(argv: readonly string[]): CommonArguments {
  const program = measuringCommand('claims', DESCRIPTION, {
    quick: 'a few minutes (default)',
    full: 'more and longer blocks',
    ci: 'plain progress lines; exit with 1 if a claim misses',
    only: 'the claims of these packages only',
  });
  return commonArguments(parseFlags(program, argv).opts());
}

/** `pnpm claims`. Resolves with the exit code. */
export function claimsCommand(list: ClaimList, argv: readonly string[]): Promise<number> {
  return runCommand(
    {
      name: 'claims',
      parse: parseArguments,
      measure: async (_, options) => asResult({ ...options, processes: 1 }, await runClaims(list, options)),
    },
    argv,
  );
}
