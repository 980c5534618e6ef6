/** What an expression gives. Instants and intervals are milliseconds. */
export type Value = null | boolean | number | string;

/** What the expressions of one statement are evaluated in. */
export interface Scope {
  /** The parameters, the first one for `$1`. */
  readonly values: readonly unknown[];
  /** A column of the row that is looked at, or of a CTE. Throws for one that is not there. */
  readonly column: (name: string) => Value;
  readonly session: Session;
}

/** The server and the transaction in which a statement runs. */
export interface Session {
  /** Milliseconds: when the statement arrived, and the time now. */
  readonly arrivedMs: number;
  readonly nowMs: () => number;
  /** The id of this transaction, which is used up when it is first asked for. */
  readonly xactId: () => number;
  /**
   * The server's identity and timeline. Throws an error with the SQLSTATE of Postgres
   * where the role may not ask.
   */
  readonly systemId: () => number;
  readonly timeline: () => string;
  /** Settings by name: those of the role, and what the statement has set for its transaction. */
  readonly settings: Map<string, string>;
  /** Sends a warning to the client, unless the settings hide it. */
  readonly warn: (text: string) => void;
}

export function notSimulated(what: string): SyntaxError {
  return new SyntaxError(`the simulated segment table does not know ${what}`);
}
