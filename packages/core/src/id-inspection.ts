/**
 * One fact that can be read out of an id, for people: `{ name: 'time', value: '2017-11-24T06:19:05.000Z' }`.
 */
export interface IdPart {
  /** Short and stable, so that scripts may select by it: `time`, `machine`, `counter`. */
  readonly name: string;
  readonly value: string;
  /** What a reader should know about this part: `local 14:19:05`, `low 16 bits`. */
  readonly note?: string;
}
