/** What an expression gives. Instants and intervals are milliseconds. */
export type Value = null | boolean | number | string;

export function notSimulated(what: string): SyntaxError {
  return new SyntaxError(`the simulated segment table does not know ${what}`);
}
