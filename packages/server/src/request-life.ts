/** How long a request waits for ids if its client does not say, and at most, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;

/** How long a request is worth working for. */
export interface RequestLife {
  /**
   * Aborts when the client has gone, or does not wait any more. It is made when it is read first: most ids
   * come from memory, in less time than a signal takes.
   */
  readonly signal: AbortSignal;
}

/** Runs `work` for a request whose client waits so long. */
export async function duringLife<T>(
  request: Request,
  timeoutMs: number | undefined,
  work: (life: RequestLife) => Promise<T>,
): Promise<T> {
  const life = new Life(request, Math.min(timeoutMs ?? LONGEST_WAIT_MS, LONGEST_WAIT_MS));
  try {
    return await work(life);
  } finally {
    life.end();
  }
}

class Life implements RequestLife {
  readonly #request: Request;
  readonly #waitMs: number;
  #made: ReturnType<typeof makeSignal> | undefined;

  constructor(request: Request, waitMs: number) {
    this.#request = request;
    this.#waitMs = waitMs;
  }

  get signal(): AbortSignal {
    this.#made ??= makeSignal(this.#request.signal, this.#waitMs);
    return this.#made.signal;
  }

  end(): void {
    this.#made?.end();
  }
}

/** `AbortSignal.any` with a timeout takes several times as long. */
function makeSignal(client: AbortSignal, waitMs: number) {
  const controller = new AbortController();
  // Unlike an `IdError`, it is no failure of a generator: clients choose how long they wait.
  const expired = (): void =>
    controller.abort(new DOMException(`the client does not wait longer than ${waitMs} ms`, 'TimeoutError'));
  // The reason of a server may be anything: the adapter of Node.js gives a string.
  const gone = (): void => controller.abort(new DOMException('the client has gone', 'AbortError'));
  const timer = setTimeout(expired, waitMs);
  if (client.aborted) gone();
  client.addEventListener('abort', gone);
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      client.removeEventListener('abort', gone);
    },
  };
}
