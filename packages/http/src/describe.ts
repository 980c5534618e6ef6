import type { Connection, RequestLimits } from './connection.js';
import type { DescribedGenerator } from './wire.js';

/**
 * What the server says of a generator. Rejects with `ERR_IDS_CONFIG` if it has none of this name, or if this
 * client may not use it.
 */
export async function describeGenerator(
  connection: Connection,
  name: string,
  limits: RequestLimits,
): Promise<DescribedGenerator> {
  // In the query: in a path, clients change names such as "..".
  const query = new URLSearchParams({ name });
  const { generators } = (await connection.get(`/generators?${query}`, limits)) as {
    generators?: readonly Partial<DescribedGenerator>[];
  };
  const [found] = Array.isArray(generators) ? generators : [];
  if (found?.name === name && found.guarantees?.text !== undefined) return found as DescribedGenerator;
  throw connection.unusable(`does not describe generator ${JSON.stringify(name)}`);
}
