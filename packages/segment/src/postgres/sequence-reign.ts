import { quotedTable, type ReignChange, type Reigns, type Row, readChange, readOrigin } from '@ids/store';
import { type FoundReign, findReign, type Run, type UsableGuard } from '@ids/store/postgres';
import { SEGMENT_TABLE } from '../table/wording.js';
import { REIGN_FACTS_STATEMENT, statementsFor } from './statements.js';

/** What `findReign` says about a sequence. */
export interface FoundSequenceReign extends FoundReign {
  /** The names of the reigns in its row; undefined without any. */
  readonly reigns: Reigns | undefined;
  /** As in `RowReign`. */
  readonly timelines: number;
}

/** The reign of a sequence in a segment table; `facts` is read if it is not there yet. */
export async function findSequenceReign(
  run: Run,
  table: string,
  name: string,
  facts?: Row,
): Promise<FoundSequenceReign> {
  let [reigns, timelines]: [Reigns | undefined, number] = [undefined, 0];
  const found = await findReign({
    run,
    facts: facts ?? (await run(REIGN_FACTS_STATEMENT, [quotedTable(table).table]))[0],
    changeOf: async (guard) => {
      const state = await reignOf(run, table, name, guard);
      ({ reigns, timelines } = state);
      return state.change;
    },
    wording: SEGMENT_TABLE,
  });
  return { ...found, reigns, timelines };
}

/** What a row says about its reign. */
export interface RowReign {
  /** What the next reservation would detect. */
  readonly change: ReignChange | undefined;
  /** How many timelines have begun since the row was written. */
  readonly timelines: number;
  readonly reigns: Reigns | undefined;
  /** Present if the row was written in a timeline that has followed the one of this server. */
  readonly supersededBy: { readonly timeline: string; readonly here: string } | undefined;
}

/** Reads what a row says about its reign. */
export async function reignOf(run: Run, table: string, name: string, guard: UsableGuard): Promise<RowReign> {
  const [row = {}] = await run(statementsFor(table, guard).change, [name]);
  const { superseded_by: timeline, here_timeline: here } = row;
  return {
    change: readChange(row.change),
    timelines: Number(row.timelines),
    reigns: readOrigin(row).reigns,
    supersededBy: typeof timeline === 'string' ? { timeline, here: String(here) } : undefined,
  };
}
