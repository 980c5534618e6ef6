export type RedisValue = string | Map<string, string>;

/** What a Redis process holds: strings and hashes. */
export class Keyspace {
  #values = new Map<string, RedisValue>();

  get(key: string): RedisValue | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: RedisValue): void {
    this.#values.set(key, value);
  }

  delete(key: string): boolean {
    return this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }

  keys(): string[] {
    return [...this.#values.keys()];
  }

  copy(): Keyspace {
    const copy = new Keyspace();
    for (const [key, value] of this.#values)
      copy.set(key, typeof value === 'string' ? value : new Map(value));
    return copy;
  }
}
