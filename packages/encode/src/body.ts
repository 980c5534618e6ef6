import type { Id } from '@ids/core';

/** What stands after the prefix. */
export interface Body {
  /** A pattern of it, without anchors. */
  readonly pattern: string;
  readonly maxLength: number;
  readonly sortable: boolean;
  /** Whether two texts may differ in the case of letters only. */
  readonly caseSensitive: boolean;
  /** Throws a `TypeError` or `RangeError` unless `id` is an id of the strategy, which is read back as it was. */
  assertId(id: unknown): void;
  /** For an id of the strategy: anything else would be written as something that it is not. */
  encode(id: Id): string;
  decode(text: string): Id;
}
