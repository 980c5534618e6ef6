import { IdError } from './id-error.js';

/**
 * Whether one generator is open or closed. All strategies use it, so that closing works the same way
 * everywhere. Throws `ERR_IDS_CONFIG` while a V8 start-up snapshot is built: each process that starts from it
 * would have the same ids and slots in memory.
 */
export class Lifecycle {
  /** The name of the generator's strategy. */
  readonly strategy: string;
  readonly #controller = new AbortController();
  #closed = false;
  #closing = Promise.resolve();

  constructor(strategy: string) {
    this.strategy = strategy;
    if (snapshotUnderWay() === undefined) return;
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${strategy}: cannot be opened while a start-up snapshot is built: all processes that start from it would issue the same ids`,
    );
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Aborts when `close` is called, with the `ERR_IDS_CLOSED` error as the reason. For background work. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  closedError(): IdError {
    return closedError(this.strategy);
  }

  assertOpen(): void {
    if (this.#closed) throw this.closedError();
  }

  /** Runs `release` once. Later calls return the promise of the first. */
  close(release?: () => Promise<void>): Promise<void> {
    if (!this.#closed) {
      // Set first, so that calls made by abort listeners already find the generator closed.
      this.#closed = true;
      this.#controller.abort(this.closedError());
      if (release !== undefined) this.#closing = release();
    }
    return this.#closing;
  }
}

export function closedError(strategy: string): IdError {
  return new IdError('ERR_IDS_CLOSED', `${strategy}: this generator was closed`);
}

/**
 * The V8 start-up snapshot that is being built, to be told when a process starts from it. Node.js is not
 * imported: the module must also load where there is none, or only parts of it, as stubs that throw.
 */
export function snapshotUnderWay(): { addDeserializeCallback(callback: () => void): void } | undefined {
  try {
    const snapshot = process.getBuiltinModule('node:v8').startupSnapshot;
    return snapshot.isBuildingSnapshot() ? snapshot : undefined;
  } catch {
    return undefined;
  }
}
