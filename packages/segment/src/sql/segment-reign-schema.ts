import { REIGN_COLUMNS, THIS_XACT, writtenByLastXact } from './reign.js';
import { quotedTable } from './table-name.js';

/** The trigger that is made last, so that a table which has it is complete. */
export const REIGN_TRIGGER = 'id_segment_reign';

/**
 * The columns of the reign and their trigger. An UPDATE that leaves them alone (of another version of
 * this package, of a role that may not write them, by hand) neither hides a change of the reign nor
 * looks like one: where the row was as its last reservation had left it, the trigger enters the
 * transaction of the UPDATE.
 */
export function reignSchema(table: string): string {
  const { table: quoted, schemaPrefix } = quotedTable(table);
  const columns = Object.entries(REIGN_COLUMNS).map(
    ([name, type]) => `ADD COLUMN IF NOT EXISTS ${name} ${type}`,
  );
  return `ALTER TABLE ${quoted}
  ${columns.join(',\n  ')};

CREATE OR REPLACE FUNCTION ${schemaPrefix}"${REIGN_TRIGGER}"() RETURNS trigger LANGUAGE plpgsql AS $reign$
BEGIN
  NEW.last_xact := ${THIS_XACT};
  RETURN NEW;
END
$reign$;

CREATE OR REPLACE TRIGGER "${REIGN_TRIGGER}" BEFORE UPDATE ON ${quoted}
  FOR EACH ROW WHEN (NEW.last_xact = OLD.last_xact AND ${writtenByLastXact('OLD')})
  EXECUTE FUNCTION ${schemaPrefix}"${REIGN_TRIGGER}"();
`;
}
