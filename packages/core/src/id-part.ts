/**
 * One piece of information read from an id, for people:
 * `{ name: 'time', value: '2017-11-24T06:19:05.000Z' }`.
 */
export interface IdPart {
  /** Short and stable, so that scripts can select by it: `time`, `machine`, `counter`. */
  readonly name: string;
  readonly value: string;
  /** A remark on the value: `local 14:19:05`, `low 16 bits`. */
  readonly note?: string;
}
