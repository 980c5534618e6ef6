import { type Guarantees, type Id, IdError, type IdGenerator } from '@ids/core';
import { formatValue, unknownNameMessage } from '@ids/core/strategy';

/** What a generated client knows of its schema at run time. */
export type Models = Readonly<Record<string, { readonly fields: readonly Field[] }>>;
interface Field {
  readonly name: string;
  /** `BigInt`, or the name of a model or an enum. */
  readonly type: string;
  readonly kind: string;
}

/** A generator for the field `id` of a model, or for the field that is named. */
export type ModelIds = IdGenerator | { readonly ids: IdGenerator; readonly field: string };

/** What fills the new rows of one model. */
export interface Filling {
  readonly ids: IdGenerator;
  readonly field: string;
  /** Throws `ERR_IDS_EXHAUSTED` if the field cannot hold the id. */
  readonly assertFits: (id: Id) => void;
}

/** What the fields of Prisma hold; it accepts a number for a `BigInt`. */
const HELD: Readonly<Record<string, readonly Guarantees['idType'][]>> = {
  BigInt: ['bigint', 'number'],
  Int: ['number'],
  String: ['string'],
};
const MAX_INT = 2 ** 31 - 1;

/** Generated clients have no public list of fields since `Prisma.dmmf` is gone. */
export function modelsOf(client: object): Models {
  const models: Models | undefined = Object(Reflect.get(client, '_runtimeDataModel')).models;
  if (models === undefined) throw misuse('this version of Prisma does not show its models');
  return models;
}

/** By the name of the model. Throws `ERR_IDS_CONFIG` for what the schema does not have or cannot hold. */
export function fillingsOf(
  models: Models,
  generators: Readonly<Record<string, ModelIds | undefined>>,
): ReadonlyMap<string, Filling> {
  const fillings = new Map<string, Filling>();
  for (const [model, given] of Object.entries(generators))
    if (given !== undefined) fillings.set(model, fillingOf(models, model, given));
  return fillings;
}

function fillingOf(models: Models, model: string, given: ModelIds): Filling {
  const { ids, field: name } = 'ids' in given ? given : { ids: given, field: 'id' };
  if (typeof Object(ids).nextBatch !== 'function')
    throw misuse(`model "${model}": must be a generator or { ids, field }, got ${formatValue(ids)}`);
  const field = fieldOf(models, model, name);
  assertHolds(model, field, ids.guarantees.idType);
  const assertFits = (id: Id) => {
    if (field.type === 'Int' && Number(id) > MAX_INT)
      throw new IdError(
        'ERR_IDS_EXHAUSTED',
        `fillIds: ${model}.${name} is an Int, which ends at ${MAX_INT}, got ${id}: make it a BigInt`,
      );
  };
  return { ids, field: name, assertFits };
}

function fieldOf(models: Models, model: string, name: string): Field {
  const fields = Object.hasOwn(models, model) ? models[model]?.fields : undefined;
  if (fields === undefined) throw misuse(unknownNameMessage('model', model, Object.keys(models)));
  const scalars = fields.filter(({ kind }) => kind === 'scalar');
  const field = scalars.find((one) => one.name === name);
  if (field !== undefined) return field;
  const names = scalars.map((one) => one.name);
  const hint = name === 'id' ? ': name another one by { ids, field }' : '';
  throw misuse(`model "${model}": ${unknownNameMessage('field', name, names)}${hint}`);
}

function assertHolds(model: string, { name, type }: Field, idType: Guarantees['idType']): void {
  const held = HELD[type];
  if (held?.includes(idType)) return;
  const accepted = held === undefined ? 'no ids' : `ids of the type ${held.join(' or ')}`;
  const types = Object.keys(HELD).filter((one) => HELD[one]?.includes(idType));
  throw misuse(
    `${model}.${name} has the type ${type}, which takes ${accepted}, got ${idType}: make it ${types.join(' or ')}`,
  );
}

function misuse(message: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `fillIds: ${message}`);
}
