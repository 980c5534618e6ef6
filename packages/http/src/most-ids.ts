import { isBadRequest } from './problem.js';

/**
 * The most ids of one request. A server says it at the start, and lowers it with the quota of its client
 * while that runs.
 */
export class MostIds {
  readonly #read: () => Promise<number | undefined>;
  #most: number;

  /** `read` asks the server anew. */
  constructor(most: number, read: () => Promise<number | undefined>) {
    this.#most = most;
    this.#read = read;
  }

  /** Asks for as many of the `wanted` ids as the server allows now. */
  async ask<T>(wanted: number, act: (count: number) => Promise<T>): Promise<T> {
    const count = Math.min(wanted, this.#most);
    try {
      return await act(count);
    } catch (error) {
      if (!isBadRequest(error)) throw error;
      const most = (await this.#read()) ?? count;
      if (most >= count) throw error;
      this.#most = most;
      return this.ask(wanted, act);
    }
  }
}
