import type { IdGenerator } from '@ids/core';

/** One connection of a caller, with at most one transaction. */
export interface WithinCaller {
  begin(): Promise<void>;
  /** Takes the next number of a key in the open transaction, or rejects. */
  next(key: string): Promise<number>;
  /** The numbers of a key as a generator over the open transaction. */
  generator(key: string): IdGenerator<number>;
  /** Writes the document that has the number, in the open transaction. */
  write(key: string, number: number): Promise<void>;
  /** A savepoint; `undo` rolls back to the last one. */
  save(): Promise<void>;
  undo(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Ends the connection in the middle of whatever it does, as a process that is killed. */
  drop(): Promise<void>;
  /** Whether an error says that the transaction collided with another one, and is to be run again. */
  collided(error: unknown): boolean;
}

/** An empty series, and a table for its documents. */
export interface WithinSeries {
  connect(): Promise<WithinCaller>;
  /** The numbers of all documents of a key that were committed. */
  documents(key: string): Promise<number[]>;
}

/** Numbers that are taken in the transaction of their caller. */
export interface WithinSubject {
  readonly name: string;
  /** Whether one transaction writes at a time, so that those of other keys wait too; default false. */
  readonly oneWriter?: boolean | undefined;
  /** Opens a series; each case opens one of its own. */
  readonly open: () => Promise<WithinSeries>;
}
