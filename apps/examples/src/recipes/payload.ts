import type { IdGenerator } from '@ids/core';
import { postgresAdapter } from '@payloadcms/db-postgres';
import {
  buildConfig,
  type CollectionBeforeValidateHook,
  type CollectionConfig,
  type Field,
  type SanitizedConfig,
} from 'payload';

/**
 * Gives new documents of a collection an `id`, drafts and duplicates too. Calls of the local API may name
 * one, unless they say `overrideAccess: false`. `payload.db.create` runs no hooks, and Postgres rejects rows
 * without an id.
 */
export function withIds(
  collection: CollectionConfig,
  ids: IdGenerator<number> | IdGenerator<string>,
): CollectionConfig {
  const named = { name: 'id', required: true, access: { create: () => false } };
  // Columns of type `numeric` and `varchar`.
  const id: Field =
    ids.guarantees.idType === 'number' ? { ...named, type: 'number' } : { ...named, type: 'text' };
  // A hook of the field would come too early: the check of its access would remove the id again.
  const fill: CollectionBeforeValidateHook = async ({ data, operation }) =>
    operation === 'create' ? { ...data, id: data?.id ?? (await ids.next()) } : data;
  return {
    ...collection,
    fields: [id, ...collection.fields],
    hooks: { ...collection.hooks, beforeValidate: [fill, ...(collection.hooks?.beforeValidate ?? [])] },
  };
}

/** Where Payload finds its database. */
export interface CmsOptions {
  readonly secret: string;
  readonly connectionString: string;
  readonly schemaName?: string;
}

/** A config for `getPayload`, in a database that also has our tables. */
export function cmsConfig(
  collections: CollectionConfig[],
  { secret, connectionString, schemaName }: CmsOptions,
): Promise<SanitizedConfig> {
  const db = postgresAdapter({
    pool: { connectionString },
    ...(schemaName && { schemaName }),
    // In development, Payload offers to rename or drop tables that it does not know.
    tablesFilter: ['!id_segment*', '!id_slot*', '!id_number*'],
  });
  const logger = { options: { level: 'error' } };
  return buildConfig({
    secret,
    collections,
    db,
    logger,
    telemetry: false,
    typescript: { autoGenerate: false },
  });
}
