import { createHash } from 'node:crypto';
import type { FetchLike } from '@ids/http';
import { createIdsHandler, type ServedGenerators } from '@ids/server';
import { Random } from '../random.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import type { HttpPlan } from './http-plan.js';

/** What happens to requests that take ids: with these probabilities, each independently. */
export interface Disturbance {
  /** The connection ends after the server has answered. */
  readonly lost: number;
  /** A proxy sends the request a second time, perhaps much later and to another server. */
  readonly twice: number;
  /** A cache answers with what it kept of an earlier request. */
  readonly kept: number;
}

/** Changes an answer on its way to the client that sent `request`, to switch a guard off. */
export type ChangeAnswer = (answer: string, request: string) => string;

export interface IdServersOptions {
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly random: Random;
  /** Opens what a server serves. */
  readonly open: (server: Owner) => Promise<ServedGenerators>;
  /** The greatest time in transit, in milliseconds. */
  readonly latencyMs: number;
  readonly changeAnswer: ChangeAnswer;
}

interface IdServer {
  readonly owner: Owner;
  /** Undefined until it has opened its generators. */
  handle?: (request: Request) => Promise<Response>;
  /** By request under way, what its client sees if the server dies. */
  readonly waiting: Set<() => void>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const QUIET: Disturbance = { lost: 0, twice: 0, kept: 0 };
/** How much later the second of two requests arrives at most, in milliseconds. */
const LATER_MS = 2_000;
/** How long a server waits before it tries again to open, in milliseconds. */
const AGAIN_MS = 50;

const TOKEN = 'token-of-the-run';
const CLIENTS = [
  {
    name: 'processes',
    tokens: [createHash('sha256').update(TOKEN).digest('hex')],
    rights: ['issue', 'lease', 'floor'] as const,
  },
];
/** What the default of `maxJump` allows without a server in between. */
const LIMITS = { floorJump: 1_000_000_000 };

/** The servers of a plan, which start at once; undefined without a plan. */
export function startIdServers(
  { seed, http }: { readonly seed: number; readonly http: HttpPlan | undefined },
  options: Omit<IdServersOptions, 'random' | 'latencyMs'>,
): IdServers | undefined {
  if (http === undefined) return undefined;
  const random = new Random(seed, 'servers of ids');
  const servers = new IdServers({ ...options, random, latencyMs: http.latencyMs });
  for (let i = 0; i < http.servers; i++) servers.start();
  return servers;
}

/** Servers of `@ids/server` behind one address, and the network between them and the processes. */
export class IdServers {
  disturbance: Disturbance = QUIET;
  readonly #options: IdServersOptions;
  readonly #servers: IdServer[] = [];
  #latencyMs: number;
  #kept: Answer | undefined;
  #started = 0;

  constructor(options: IdServersOptions) {
    this.#options = options;
    this.#latencyMs = options.latencyMs;
  }

  /** Those that have not been killed. */
  get alive(): readonly IdServer[] {
    return this.#servers.filter(({ owner }) => !owner.dead);
  }

  start(): void {
    const { scheduler } = this.#options;
    this.#started += 1;
    const name = `id server ${this.#started}`;
    const owner = { name, dead: false, pausedUntil: 0, clockRate: 1, wallOffset: 0, timerLag: 0 };
    const server: IdServer = { owner, waiting: new Set() };
    this.#servers.push(server);
    scheduler.schedule(scheduler.now, owner, () => void this.#open(server));
  }

  /** Its clients notice at different times. */
  kill(server: IdServer): void {
    server.owner.dead = true;
    for (const broken of server.waiting) broken();
    server.waiting.clear();
  }

  /** From now on, each request is answered once. */
  calm(): void {
    this.disturbance = QUIET;
  }

  /** Ends all faults. */
  heal(): void {
    const { now } = this.#options.scheduler;
    this.calm();
    this.#latencyMs = 1;
    for (const { owner } of this.#servers) owner.pausedUntil = Math.min(owner.pausedUntil, now);
  }

  /** How a process reaches them: options of its client. */
  wayOf(owner: Owner) {
    const fetch: FetchLike = (url, init) => this.#fetch(owner, url, init);
    return { url: 'http://ids.test', token: TOKEN, fetch };
  }

  async #open(server: IdServer): Promise<void> {
    const { open, trace } = this.#options;
    try {
      const generators = await open(server.owner);
      server.handle = createIdsHandler({ generators, clients: CLIENTS, limits: LIMITS });
    } catch (error) {
      trace.add(server.owner.name, `cannot start: ${String(error)}`);
      setTimeout(() => void this.#open(server), AGAIN_MS);
    }
  }

  #fetch(owner: Owner, url: string, init: RequestInit): Promise<Response> {
    const { scheduler, random, changeAnswer } = this.#options;
    const { signal, body: request } = init;
    return new Promise((resolve, reject) => {
      const toClient = (act: () => void) => scheduler.schedule(this.#arrival(), owner, act);
      const broken = () => toClient(() => reject(new TypeError('fetch failed')));
      const answered = ({ status, headers, body }: Answer): void => {
        const shown = typeof request === 'string' ? changeAnswer(body, request) : body;
        toClient(() => resolve(new Response(shown, { status, headers })));
      };
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      const { lost, twice, kept } = typeof request === 'string' ? this.disturbance : QUIET;
      if (this.#kept !== undefined && random.chance(kept)) {
        answered(this.#kept);
        return;
      }
      const send = (at: number): void => {
        const parts = { broken, answered, isLost: random.chance(lost) };
        scheduler.schedule(at, scheduler.world, () => this.#deliver(url, init, parts));
      };
      send(this.#arrival());
      if (random.chance(twice)) send(this.#arrival() + random.magnitude(1, LATER_MS));
    });
  }

  #deliver(
    url: string,
    init: RequestInit,
    parts: { broken: () => void; answered: (answer: Answer) => void; isLost: boolean },
  ): void {
    const { scheduler, random, trace } = this.#options;
    const { signal, body, method = 'GET' } = init;
    const { broken, answered, isLost } = parts;
    const ready = this.alive.filter(({ handle }) => handle !== undefined);
    if (ready.length === 0) {
      broken();
      return;
    }
    const server = random.pick(ready);
    const { owner, waiting } = server;
    const gone = new AbortController();
    // The server may never hear that its client has given up.
    const hears = random.chance(0.5);
    signal?.addEventListener('abort', () => {
      if (hears) scheduler.schedule(this.#arrival(), owner, () => gone.abort());
    });
    waiting.add(broken);
    // Without its body, whose nonce no seed determines.
    trace.add(owner.name, `${method} ${new URL(url).pathname}`);
    scheduler.schedule(scheduler.now, owner, async () => {
      const headers = new Headers(init.headers);
      if (typeof body === 'string') headers.set('content-length', String(Buffer.byteLength(body)));
      const request = new Request(url, { ...init, headers, signal: gone.signal });
      const response = await server.handle?.(request);
      waiting.delete(broken);
      if (response === undefined || isLost) {
        broken();
        return;
      }
      const answer = { status: response.status, headers: response.headers, body: await response.text() };
      if (response.ok && typeof body === 'string') this.#kept = answer;
      answered(answer);
    });
  }

  #arrival(): number {
    const { scheduler, random } = this.#options;
    return scheduler.now + random.next() * this.#latencyMs;
  }
}
