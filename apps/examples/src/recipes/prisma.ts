import type { IdGenerator } from '@ids/core';
import { Prisma } from '@prisma/client/extension';

type RowIds = IdGenerator<bigint> | IdGenerator<string>;
/** Extensions that serve every schema see rows without types. */
type Row = Record<string, unknown>;
/** What a generated client knows of its schema at run time. */
type Models = Readonly<
  Record<string, { readonly fields: readonly { readonly name: string; readonly type: string }[] }>
>;

/**
 * `prisma.$extends(fillIds({ Order: orderIds, Line: lineIds }))`: rows of the named models get an `id` where
 * the call names none, also those that a call creates below another row. A call takes one batch of ids for
 * each model. Rows made by raw SQL or by the database get none. `$extends` throws a `TypeError` if a model
 * does not exist or has no field `id`.
 */
export function fillIds(generators: Readonly<Record<string, RowIds>>) {
  return Prisma.defineExtension((client) => {
    const models = modelsOf(client);
    for (const model of Object.keys(generators)) assertHasId(models, model);
    return client.$extends({
      name: 'fill-ids',
      query: {
        $allModels: {
          $allOperations: async ({ model, operation, args, query }) => {
            const withoutId = new Map<string, Row[]>();
            const filled = copyOfCall(models, model, operation, Object(args), (of, row) => {
              if (of in generators && row.id === undefined)
                withoutId.set(of, [...(withoutId.get(of) ?? []), row]);
            });
            const fillings = [...withoutId].map(async ([of, rows]) => {
              const ids = await generators[of]?.nextBatch(rows.length);
              for (const [i, row] of rows.entries()) row.id = ids?.[i];
            });
            await Promise.all(fillings);
            return query(Object(filled));
          },
        },
      },
    });
  });
}

/** Generated clients have no public list of relations since `Prisma.dmmf` is gone. */
function modelsOf(client: object): Models {
  const models: Models | undefined = Object(Reflect.get(client, '_runtimeDataModel')).models;
  if (models === undefined) throw new TypeError('fillIds: this version of Prisma does not show its models');
  return models;
}

function assertHasId(models: Models, model: string): void {
  const hasId = (name: string) => models[name]?.fields.some((field) => field.name === 'id');
  if (hasId(model)) return;
  const accepted = Object.keys(models).filter(hasId).join(', ');
  throw new TypeError(`fillIds: "${model}" is no model with a field "id"; those are: ${accepted}`);
}

/**
 * Copies what a call writes and reports the copy of each new row, outer rows first. Copies, since the caller
 * may use its objects for another call, whose rows need other ids.
 */
function copyOfCall(
  models: Models,
  model: string,
  operation: string,
  args: Row,
  onNew: (model: string, row: Row) => void,
): Row {
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
  return ['create', 'createMany', 'createManyAndReturn', 'upsert'].includes(operation)
    ? call(model, args)
    : args;
}

/** Applies `copy` to one object or to each of a list; anything else is for Prisma to refuse. */
function each(value: unknown, copy: (row: Row) => Row): unknown {
  if (Array.isArray(value)) return value.map((one) => each(one, copy));
  return typeof value === 'object' && value !== null ? copy(value as Row) : value;
}
