import type { Health } from '@ids/core';
import { observeSegments } from '@ids/segment/otel';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Access } from '../access.js';
import type { RequestReport } from '../request-report.js';
import type { ServedGenerators } from '../served.js';
import type { Tallies } from '../tally.js';
import type { Handler, Part } from './beside.js';
import { prometheusMeter } from './prometheus-meter.js';

const STATES: readonly Health['status'][] = ['ok', 'not-ready', 'degraded', 'down', 'closed'];

/** From a call that is served from memory to one that waits as long as it may, in seconds. */
const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * The metrics of a server, in the format of Prometheus. Their labels are names of generators, strategies,
 * states, codes, paths of the API and statuses: nothing that a client chooses, so their number is limited.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #generators: ServedGenerators;
  readonly #tallies: Tallies;
  readonly #observe: () => void;
  readonly #state: Gauge;
  readonly #ids: Counter;
  readonly #failures: Counter;
  readonly #requests: Counter;
  readonly #durations: Histogram;
  readonly #underWay: Gauge;

  constructor(generators: ServedGenerators, tallies: Tallies) {
    this.#generators = generators;
    this.#tallies = tallies;
    const registers = [this.#registry];
    const sequence = ['idgen_sequence', 'idgen_strategy'];
    collectDefaultMetrics({ register: this.#registry });
    this.#observe = observeGenerators(this.#registry, generators);
    this.#state = new Gauge({
      name: 'idgen_health_state',
      help: 'How the generator is: 1 for the state that it is in, 0 for all others.',
      labelNames: [...sequence, 'state'],
      registers,
    });
    this.#ids = new Counter({
      name: 'idgen_http_ids_total',
      help: 'Ids that clients got, by way: issued by the server, or leased to be issued by the client.',
      labelNames: [...sequence, 'way'],
      registers,
    });
    this.#failures = new Counter({
      name: 'idgen_http_call_failures_total',
      help: 'Calls of clients that failed although they were right, by the code of the error.',
      labelNames: [...sequence, 'code'],
      registers,
    });
    this.#requests = new Counter({
      name: 'idgen_http_requests_total',
      help: 'Requests that were answered, by path and status. The path "other" is not of the API.',
      labelNames: ['path', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'idgen_http_request_duration_seconds',
      help: 'How long requests took, from their headers to the answer.',
      labelNames: ['path'],
      buckets: DURATIONS,
      registers,
    });
    this.#underWay = new Gauge({
      name: 'idgen_http_requests_in_progress',
      help: 'Requests that are not answered yet.',
      registers,
    });
  }

  /** Counts the requests to `handler` that are under way. */
  watching(handler: Handler): Handler {
    return async (request) => {
      this.#underWay.inc();
      try {
        return await handler(request);
      } finally {
        this.#underWay.dec();
      }
    };
  }

  /** Counts a request that was answered. */
  note({ route: path = 'other', status, tookMs }: RequestReport): void {
    this.#requests.inc({ path, status });
    this.#durations.observe({ path }, tookMs / 1_000);
  }

  /** They are at `/metrics`, and about all generators, so a client must be one that may read all of them. */
  servedTo(access: Access): Part {
    return (app) => {
      app.get('/metrics', async (c) => {
        const visitor = await access.visitor(c.req.header('authorization'));
        for (const name of Object.keys(this.#generators)) visitor.assertMay('read', name);
        const headers = { 'content-type': this.#registry.contentType, 'cache-control': 'no-store' };
        return c.body(await this.#text(), 200, headers);
      });
    };
  }

  async #text(): Promise<string> {
    this.#observe();
    for (const metric of [this.#state, this.#ids, this.#failures]) metric.reset();
    for (const [name, { generator }] of Object.entries(this.#generators)) {
      const labels = { idgen_sequence: name, idgen_strategy: generator.strategy };
      const { ids, failures } = this.#tallies.of(name, generator);
      const { status } = generator.health();
      for (const state of STATES) this.#state.set({ ...labels, state }, Number(state === status));
      for (const [way, count] of Object.entries(ids)) this.#ids.inc({ ...labels, way }, count);
      for (const [code, count] of failures) this.#failures.inc({ ...labels, code }, count);
    }
    return this.#registry.metrics();
  }
}

/** Exports the instruments of `@ids/segment/otel`; returns what reads the generators into them. */
function observeGenerators(registry: Registry, generators: ServedGenerators): () => void {
  const { meter, observe } = prometheusMeter(registry);
  const metered = Object.entries(generators).map(([name, { generator }]) => [name, generator] as const);
  observeSegments(meter, Object.fromEntries(metered));
  return observe;
}
