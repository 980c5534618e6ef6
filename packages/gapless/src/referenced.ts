import { type Row, readWholeNumber } from '@ids/store';
import * as errors from './errors.js';
import type { NumberRequest, Referenced } from './table/request.js';

/** The rows of the documents, in one transaction. */
interface ReferenceRows {
  /**
   * Makes the row of a document; resolves with whether there was none. While another transaction makes it,
   * it waits for the end of that.
   */
  claim(request: Referenced): Promise<boolean>;
  /** What is committed, or of this transaction. Of two that find no number in a row, one has to wait. */
  find(request: Referenced): Promise<Row | undefined>;
  /** Writes the numbers into the row, of which `last` is the last one. */
  fill(request: Referenced, last: number): Promise<unknown>;
}

/**
 * The last of the numbers that the reference of `request` has, or that `take` takes for it. The document is
 * claimed first, so that its second transaction waits there and never holds the key in vain.
 *
 * Twice: the same numbers. After the loss of an answer: the row and the numbers go with the transaction, or
 * stay with it. On a former primary that still answers: as the document itself.
 */
export async function takeReferenced(
  request: NumberRequest,
  rows: ReferenceRows,
  take: () => Promise<unknown>,
): Promise<unknown> {
  if (!isReferenced(request)) return await take();
  if (!(await rows.claim(request))) {
    const given = givenBefore(request, await rows.find(request));
    if (given !== undefined) return given;
  }
  const last = await take();
  await rows.fill(request, Number(last));
  return last;
}

export function isReferenced(request: NumberRequest): request is Referenced {
  return request.reference !== undefined;
}

/**
 * The last of the numbers that a reference was given, from its row: `first` and `last`, and `key` in
 * hexadecimal digits. Undefined without a row, and for one of a transaction that committed after it could not
 * take a number. Throws `ERR_IDS_CONFIG` if it was given others than `request` is for.
 */
export function givenBefore(request: Referenced, row: Row | undefined): number | undefined {
  if (row === undefined || row.last === null) return undefined;
  const last = readWholeNumber(row.last, 'last_number');
  const first = readWholeNumber(row.first, 'first_number');
  const given = { key: Buffer.from(String(row.key), 'hex').toString(), first, count: last - first + 1 };
  if (given.key === request.key && given.count === request.count) return last;
  throw errors.otherDocument(request, given);
}
