import {
  quotedTable,
  type ReignChange,
  type Reigns,
  type Row,
  type RowLoss,
  readChange,
  readOrigin,
} from '@ids/store';
import { type FoundReign, findReign, hasPace, type Run, readPace } from '@ids/store/postgres';
import { SEGMENT_TABLE } from '../table/wording.js';
import { REIGN_FACTS_STATEMENT, type RowGuards, statementsFor } from './statements.js';

/** What `findReign` says about a sequence. */
export interface FoundSequenceReign extends FoundReign, RowGuards {
  /** What its row says; undefined without a guard. */
  readonly row: RowReign | undefined;
}

/** The reign of a sequence in a segment table; `facts` is read if it is not there yet. */
export async function findSequenceReign(
  run: Run,
  table: string,
  name: string,
  facts?: Row,
): Promise<FoundSequenceReign> {
  const known = facts ?? (await run(REIGN_FACTS_STATEMENT, [quotedTable(table).table]))[0];
  let row: RowReign | undefined;
  const found = await findReign({
    run,
    facts: known,
    changeOf: async (guard) => {
      row = await reignOf(run, table, name, { guard, pace: hasPace(known) });
      return row.change;
    },
    wording: SEGMENT_TABLE,
  });
  return { ...found, pace: found.guard !== 'off' && hasPace(known), row };
}

/** What a row says about its reign. */
export interface RowReign {
  /** `max_id`, `realm` and `reigns` at that moment; null if there is no such sequence. */
  readonly columns: Row;
  /** What the next reservation would detect. */
  readonly change: ReignChange | undefined;
  readonly reigns: Reigns | undefined;
  /** What it may have lost; without how many ids are left. */
  readonly loss: RowLoss;
  /** Present if the row was written in a timeline that has followed the one of this server. */
  readonly supersededBy: { readonly timeline: string; readonly here: string } | undefined;
  /** The version of the row and the server, for a statement that relies on what was read. */
  readonly asRead: readonly [version: unknown, here: unknown];
}

/** Reads what a row says about its reign; `guards` has one of the reign. */
export async function reignOf(run: Run, table: string, name: string, guards: RowGuards): Promise<RowReign> {
  const [row = {}] = await run(statementsFor(table, guards).change, [name]);
  const { superseded_by: timeline, here_timeline: here, max_id, realm, reigns } = row;
  const pace = readPace(row);
  return {
    columns: { max_id, realm, reigns },
    change: readChange(row.change),
    reigns: readOrigin(row).reigns,
    loss: { timelines: Number(row.timelines), ...(pace && { pace, lane: Number(row.lane) }) },
    supersededBy: typeof timeline === 'string' ? { timeline, here: String(here) } : undefined,
    asRead: [row.version, row.here],
  };
}
