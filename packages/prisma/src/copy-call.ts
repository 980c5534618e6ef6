import type { Models } from './models.js';

/** Extensions that serve every schema see rows without types. */
export type Row = Record<string, unknown>;

/** Called with the copy of each new row, before it is written. */
type OnNew = (model: string, row: Row) => void;

const CALLS_WITH_NEW_ROWS = ['create', 'createMany', 'createManyAndReturn', 'upsert'];

/**
 * Copies what a call writes and reports the copy of each new row, outer rows first. Copies, since the caller
 * may use its objects for another call, whose rows need other ids.
 */
export function copyOfCall(models: Models, model: string, operation: string, args: Row, onNew: OnNew): Row {
  const updated = (of: string, row: Row): Row => {
    const copy = { ...row };
    for (const { name, type } of models[of]?.fields ?? [])
      if (name in row && models[type] !== undefined)
        copy[name] = each(row[name], (writes) => relation(type, writes));
    return copy;
  };
  const created = (of: string, row: Row): Row => {
    const copy = { ...row };
    onNew(of, copy);
    return Object.assign(copy, updated(of, copy));
  };
  /** The members of a call: its `data` is of new rows or of existing ones. */
  const call = (of: string, members: Row, ofData = created): Row => ({
    ...members,
    ...('data' in members && { data: each(members.data, (row) => ofData(of, row)) }),
    ...('create' in members && { create: each(members.create, (row) => created(of, row)) }),
    ...('update' in members && { update: each(members.update, (row) => updated(of, row)) }),
  });
  /** What a row says of its relation to rows of a model; the names of the operations are its members. */
  const relation = (of: string, writes: Row): Row => {
    const copy = { ...writes };
    if ('create' in writes) copy.create = each(writes.create, (row) => created(of, row));
    if ('update' in writes)
      copy.update = each(writes.update, (one) =>
        isCall(of, one) ? call(of, one, updated) : updated(of, one),
      );
    for (const name of ['createMany', 'connectOrCreate', 'upsert'])
      if (name in writes) copy[name] = each(writes[name], (members) => call(of, members));
    return copy;
  };
  /** A relation to one row takes `{ where, data }` or the data alone. */
  const isCall = (of: string, one: Row) =>
    'data' in one && ('where' in one || !models[of]?.fields.some(({ name }) => name === 'data'));

  if (operation === 'update') return call(model, args, updated);
  return CALLS_WITH_NEW_ROWS.includes(operation) ? call(model, args) : args;
}

/** Applies `copy` to one object or to each of a list; anything else is for Prisma to refuse. */
function each(value: unknown, copy: (row: Row) => Row): unknown {
  if (Array.isArray(value)) return value.map((one) => each(one, copy));
  return typeof value === 'object' && value !== null ? copy(value as Row) : value;
}
