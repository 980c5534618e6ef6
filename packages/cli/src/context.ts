import type { Environment } from '@ids/config';
import type { IdPart, IdStrategy } from '@ids/core';

/** A stream that texts are written to; `process.stdout` is one. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  /** How many characters a line of the terminal holds. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** The sequence of a generator that takes its ids from a database. */
export interface SequencePlace {
  /** A `postgres://` URL or a pg pool. */
  readonly database: unknown;
  readonly table: string | undefined;
  readonly name: string;
}

/** What a command works with. */
export interface CommandContext {
  /** The strategies that the config may name. */
  readonly strategies: readonly IdStrategy[];
  /**
   * The same strategies as services import them, where `strategies` accept more: what `doctor` checks and
   * opens. `strategies` by default.
   */
  readonly serviceStrategies?: readonly IdStrategy[];
  /** The folder with `ids.config.*`. */
  readonly cwd: string;
  readonly environment: Environment;
  /** For results. */
  readonly stdout: OutputStream;
  /** For errors and notes. */
  readonly stderr: OutputStream;
  /**
   * Asks a segment source who drew the segment of an id, and when: facts for people, none when nothing is
   * known. `inspect` leaves that out where it is not given.
   */
  readonly whoIssued?: (place: SequencePlace, id: number) => Promise<readonly IdPart[]>;
}
