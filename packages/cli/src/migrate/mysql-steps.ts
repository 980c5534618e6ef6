import {
  alter,
  assertStill,
  later,
  type Migration,
  type Plan,
  raiseTo,
  type Step,
  usersSteps,
} from './migration.js';
import { type MysqlState, mysqlState, outOfTheWay } from './mysql-state.js';
import { createStep } from './sequence.js';

/** With less room below it, a new sequence is raised before old processes are led past it. */
const ROOM = 100_000n;

/** From `AUTO_INCREMENT` to the generator: docs/migrating.md has the steps and why they are safe. */
export async function mysqlPlan(migration: Migration): Promise<Plan> {
  const state = await mysqlState(migration);
  const { numbered, last, maxId, reserved, used, raised, misplaced, declared } = state;
  const gone = !numbered;
  const { table } = migration.column.sql;
  const greatest = later(last, maxId);
  const floor = greatest + migration.room;
  const enough = greatest + (migration.room < ROOM ? migration.room / 2n : ROOM);
  const created = gone || raised || (reserved !== undefined && reserved >= enough);
  const raise = [`ALTER TABLE ${table} AUTO_INCREMENT = ${outOfTheWay(state)}`];
  const remove = [`ALTER TABLE ${table} MODIFY ${declared}`];
  const steps: Step[] = [
    createStep(migration, {
      reserved,
      last,
      floor: created ? (reserved ?? floor) : floor,
      unused: !used,
      done: created,
    }),
    {
      do: 'raise',
      done: gone || raised,
      text: `let AUTO_INCREMENT go on from ${raised ? last + 1n : outOfTheWay(state)}, far above the new IDs`,
      sql: raise,
      take: () => alter(migration, raise),
    },
    {
      do: 'look',
      done: gone || (raised && misplaced === undefined),
      text:
        misplaced === undefined
          ? 'look for rows of old processes where new IDs are to come'
          : `raise the new sequence above ${misplaced}, which an old process inserted`,
      take: () => raiseTo(migration, misplaced ?? 0n),
    },
    ...usersSteps(migration, used, gone),
    {
      do: 'remove',
      done: gone,
      text: 'remove AUTO_INCREMENT, so that an INSERT without an ID fails',
      sql: remove,
      async take() {
        await assertStill(migration, async () => (await mysqlState(migration)).last);
        await alter(migration, remove);
      },
    },
  ];
  return { found: foundOf(migration, state), steps };
}

/** The way back: until `AUTO_INCREMENT` is removed, old processes insert as before. */
export async function mysqlBack(migration: Migration): Promise<Plan> {
  const state = await mysqlState(migration);
  const counted = state.declared.replace(/(?= COMMENT ')|$/, ' AUTO_INCREMENT');
  const sql = [
    `ALTER TABLE ${migration.column.sql.table} MODIFY ${counted}, AUTO_INCREMENT = ${outOfTheWay(state)}`,
  ];
  const steps: Step[] = [
    {
      do: 'restore',
      done: state.numbered,
      text: 'let the database number the column again, far above the new IDs; it copies the table, and writes wait meanwhile',
      sql,
      take: () => alter(migration, sql),
    },
    { do: 'deploy-old', done: false, text: 'deploy the old version' },
  ];
  return { found: foundOf(migration, state), steps };
}

function foundOf({ column }: Migration, { numbered, last, maxId, reserved }: MysqlState): Plan['found'] {
  return {
    column: `${column.found} ${column.type}`,
    greatest: maxId,
    counter: numbered ? 'AUTO_INCREMENT' : undefined,
    last: numbered ? last : undefined,
    reserved,
  };
}
