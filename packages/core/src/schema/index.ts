// Schemas of ids, for the edge of a service. It loads in web pages too.
export { type IdScalarConfig, idScalar } from './graphql-scalar.js';
export {
  type IdCodec,
  type IdSchema,
  type IdSource,
  idSchema,
  type ShownId,
  type StoredId,
  storedIdSchema,
} from './id-schema.js';
export type { IdJsonSchema } from './own-ids.js';
