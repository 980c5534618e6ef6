import type { Guarantees } from '@ids/core';

/** One of the two generators between which a service swaps. */
export interface SwapSide {
  readonly guarantees: Guarantees;
  /**
   * What names the sequence it takes ids from, such as database, table and row;
   * undefined where there is none.
   */
  readonly sequence?: string | undefined;
  /** The last id reserved in that sequence by anybody, when it could be asked. */
  readonly reserved?: bigint | undefined;
  /** What has to be made before it can give ids, such as `table id_segment`; undefined when all is there. */
  readonly missing?: string | undefined;
}

/** The column that holds the ids given so far, as the database describes it. */
export interface ColumnFacts {
  /** `orders.id` */
  readonly name: string;
  /** The SQL type, such as `bigint`, `integer`, `text`, `character varying`. */
  readonly type: string;
  /** The most characters it holds; undefined for no limit. */
  readonly maxLength?: number | undefined;
  /** Whether it takes `a` and `A` for the same. */
  readonly ignoresCase: boolean;
  /** The greatest number in it; undefined when it is empty, or holds no numbers. */
  readonly maxId?: bigint | undefined;
}

export interface SwapFinding {
  /**
   * What it is about: `type`, `width`, `order`, `unique`, `case`, `sync`, `backends`, `discloses`, `gaps`,
   * `overlap`, `sequence`, `column`, `collation`.
   */
  readonly about: string;
  /**
   * `same`: nothing to do. `change`: look at the code that depends on it. `danger`: ids may repeat or be
   * refused, or a promise is lost.
   */
  readonly verdict: 'same' | 'change' | 'danger';
  readonly from: string;
  readonly to: string;
  /** What to do, or what follows. */
  readonly advice?: string;
}

export interface SwapPlan {
  readonly findings: readonly SwapFinding[];
  /**
   * The id above which the new sequence must start (`setFloor`, or `startAfter` of `createSequence`);
   * undefined where none is needed.
   */
  readonly floor: bigint | undefined;
}
