/** A request, for logs and metrics. */
export interface RequestReport {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The path of the API that it is for, such as `/v1/ids`; undefined if there is none. */
  readonly route: string | undefined;
  readonly status: number;
  readonly tookMs: number;
  /** The name of the client; undefined if it was not recognised, or if there are no clients. */
  readonly client: string | undefined;
  /** How many ids the response has. */
  readonly ids: number;
  /** What failed: the errors of generators, whose messages may name backends. */
  readonly errors: readonly unknown[];
}

/** Must not throw. Only messages of errors name backends. */
export type RequestListener = (request: RequestReport) => void;
