/** An error with the SQLSTATE that Postgres gives. */
export class SqlStateError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
