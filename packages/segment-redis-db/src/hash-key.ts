/** The braces make the name the hash tag, so that the key stays in one slot of a Redis Cluster. */
export function hashKey(keyPrefix: string, name: string): string {
  return `${keyPrefix}{${name}}`;
}
