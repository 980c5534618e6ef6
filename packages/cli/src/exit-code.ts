import { isIdError } from '@ids/core';

/** What the command ends with; part of its interface. */
export const EXIT = {
  ok: 0,
  /** It was understood and could not be done, or `doctor` found something wrong. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The config is missing or wrong, or a strategy does not meet its needs. */
  config: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command line is at fault. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function exitCodeFor(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  const wrong = isIdError(error) && (error.code === 'ERR_IDS_CONFIG' || error.code === 'ERR_IDS_UNMET');
  return wrong ? EXIT.config : EXIT.failed;
}
