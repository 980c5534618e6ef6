import type { Environment } from '@ids/config';
import type { IdStrategy } from '@ids/core';

/** A stream that texts are written to; `process.stdout` is one. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Who reserved the segment from which an id came. */
export interface Provenance {
  readonly owner: string;
  /** The segment, both ends inclusive. */
  readonly low: number;
  readonly high: number;
  readonly grantedAt: Date;
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
  /** The folder with `ids.config.*`. */
  readonly cwd: string;
  readonly environment: Environment;
  /** For results. */
  readonly stdout: OutputStream;
  /** For errors and notes. */
  readonly stderr: OutputStream;
  /** Asks a segment source who issued an id; `inspect` leaves that out where it is not given. */
  readonly whoIssued?: (place: SequencePlace, id: number) => Promise<Provenance | undefined>;
}
