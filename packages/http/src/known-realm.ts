import { IdError } from '@ids/core';

/**
 * The store behind the answers of a server. Two servers behind one address may use two databases, and then
 * both issue the same ids. So a client stays with the store of its first answer.
 */
export class KnownRealm {
  readonly #name: string;
  readonly #server: string;
  #realm: string | null | undefined;

  constructor(name: string, server: string) {
    this.#name = name;
    this.#server = server;
  }

  /** Throws `ERR_IDS_REALM` if `realm` is not that of the first answer, or none. */
  accept(realm: unknown): void {
    if (typeof realm !== 'string' && realm !== null) throw this.#other('does not name its store');
    if (this.#realm === undefined) this.#realm = realm;
    if (realm !== this.#realm)
      throw this.#other(`is of another store than the first one (realm ${realm}, not ${this.#realm})`);
  }

  #other(why: string): IdError {
    return new IdError(
      'ERR_IDS_REALM',
      `generator ${JSON.stringify(this.#name)}: an answer of ${this.#server} ${why}. Nothing of it is used`,
    );
  }
}
