import type { Id } from '@ids/core';

/** What stands after the prefix. */
export interface Body {
  /** A pattern of it, without anchors. */
  readonly pattern: string;
  readonly maxLength: number;
  readonly sortable: boolean;
  /** Whether two texts may differ in the case of letters only. */
  readonly caseSensitive: boolean;
  encode(id: Id): string;
  decode(text: string): Id;
}
