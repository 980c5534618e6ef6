import { copyOfCall, type Row } from './copy-call.js';
import { type Filling, fillingsOf, type ModelIds, type Models, modelsOf } from './models.js';

/** What `$extends` takes, and what it needs to know of types: that the client keeps its own. */
export type FillIdsExtension = (client: object) => {
  readonly $extends: { readonly extArgs: Record<'result' | 'model' | 'query' | 'client', NoTypes> };
};
// biome-ignore lint/complexity/noBannedTypes: Prisma's word for an extension that adds nothing to a client.
type NoTypes = {};

interface ModelCall {
  readonly model: string;
  readonly operation: string;
  readonly args: unknown;
  query(args: unknown): Promise<unknown>;
}

/**
 * An extension for `$extends`: `prisma.$extends(fillIds({ Order: orderIds, Line: lineIds }))`. Rows of the
 * named models get an id where the call names none, also those that a call creates below another row. A call
 * takes one batch of ids for each model. Rows made by raw SQL or by the database get none.
 *
 * The field is `id`; `{ ids: orderIds, field: 'orderId' }` names another one. Models and fields have the
 * names of the schema. `fillIds<Prisma.ModelName>` has the compiler check those of the models.
 *
 * `$extends` throws `ERR_IDS_CONFIG` for a model or a field that does not exist, and for ids that its type
 * does not take. Calls reject like `nextBatch`, and with `ERR_IDS_EXHAUSTED` for a number above the end of
 * an `Int`. Whoever opened the generators closes them.
 */
export function fillIds<Model extends string = string>(
  generators: Readonly<Partial<Record<Model, ModelIds>>>,
): FillIdsExtension {
  return (client) => {
    const models = modelsOf(client);
    const fillings = fillingsOf(models, generators);
    const $allOperations = async ({ model, operation, args, query }: ModelCall) =>
      query(await filledCall(models, fillings, model, operation, Object(args)));
    const extension = { name: 'fill-ids', query: { $allModels: { $allOperations } } };
    return (client as { $extends(args: object): ReturnType<FillIdsExtension> }).$extends(extension);
  };
}

async function filledCall(
  models: Models,
  fillings: ReadonlyMap<string, Filling>,
  model: string,
  operation: string,
  args: Row,
): Promise<Row> {
  const withoutId = new Map<Filling, Row[]>();
  const copy = copyOfCall(models, model, operation, args, (of, row) => {
    const filling = fillings.get(of);
    if (filling === undefined || row[filling.field] !== undefined) return;
    const rows = withoutId.get(filling) ?? [];
    withoutId.set(filling, rows);
    rows.push(row);
  });
  await Promise.all([...withoutId].map(([filling, rows]) => fill(filling, rows)));
  return copy;
}

async function fill({ ids, field, assertFits }: Filling, rows: readonly Row[]): Promise<void> {
  const batch = await ids.nextBatch(rows.length);
  for (const id of batch) assertFits(id);
  for (const [index, row] of rows.entries()) row[field] = batch[index];
}
