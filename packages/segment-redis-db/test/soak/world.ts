import {
  type FaultProxy,
  type PostgresServer,
  type RedisServer,
  startFaultProxy,
  startPostgres,
  startRedis,
} from '@ids/local-services';
import type { SqlExecutor } from '@ids/store';
import { fromPgUrl } from '@ids/store/postgres';
import { Redis } from 'ioredis';
import { type Context, createContext } from '../support/subject.js';

/** A Redis and the proxy through which the other one replicates from it. */
interface Node {
  readonly server: RedisServer;
  readonly link: FaultProxy;
}

/**
 * What the processes under load depend on: a primary and a replica behind two doors, so that a split brain
 * can show each half of the processes another primary, and a Postgres whose default is to commit carelessly.
 */
export class World {
  /** Where the processes connect: those with an even number here, the others at the second. */
  readonly doors: readonly [FaultProxy, FaultProxy];
  readonly postgres: PostgresServer;
  readonly table: string;
  readonly key: string;
  readonly #context: Context;
  readonly #closing: readonly AsyncDisposable[];
  #primary: Node;
  #replica: Node;

  private constructor(
    nodes: readonly [Node, Node],
    doors: readonly [FaultProxy, FaultProxy],
    postgres: PostgresServer,
    context: Context,
    closing: readonly AsyncDisposable[],
  ) {
    [this.#primary, this.#replica] = nodes;
    this.doors = doors;
    this.postgres = postgres;
    this.table = context.table;
    this.key = `${context.keyPrefix}{${context.name}}`;
    this.#context = context;
    this.#closing = closing;
  }

  static async start(): Promise<World> {
    const closing: AsyncDisposable[] = [];
    const own = <T extends AsyncDisposable>(opened: T): T => {
      closing.push(opened);
      return opened;
    };
    try {
      const node = async (): Promise<Node> => {
        const server = own(await startRedis());
        return { server, link: own(await startFaultProxy({ target: server })) };
      };
      const nodes = [await node(), await node()] as const;
      const door = async () => own(await startFaultProxy({ target: nodes[0].server }));
      const doors = [await door(), await door()] as const;
      const postgres = own(await startPostgres({ settings: { synchronous_commit: 'off' } }));
      const context = await createContext(nodes[0].server.url, postgres.url, 'soak');
      const world = new World(nodes, doors, postgres, context, closing);
      await world.follow();
      return world;
    } catch (error) {
      await closeAll(closing);
      throw error;
    }
  }

  /** What the `number`-th process opens. */
  context(number: number): Context {
    const even = number % 2 === 0;
    const redis = this.doors[even ? 0 : 1].url('redis');
    // Half of them skip nothing when the table went back, so that what they know of it
    // is all that guards them.
    return { ...this.#context, redis, ...(even && { afterRestore: 0 }) };
  }

  get primary(): RedisServer {
    return this.#primary.server;
  }

  /** Runs commands at the primary. */
  redis<T>(run: (client: Redis) => Promise<T>): Promise<T> {
    return at(this.primary, run);
  }

  async sql<T>(run: (executor: SqlExecutor) => Promise<T>): Promise<T> {
    const executor = await fromPgUrl(this.postgres.url, { max: 1 });
    try {
      return await run(executor);
    } finally {
      await executor.close();
    }
  }

  /** From now on the replica lags. */
  async cutReplication(): Promise<void> {
    await this.#primary.link.setMode('blackhole');
  }

  /**
   * The replica becomes the primary, with what it has by now; the old one goes on as one too and is
   * `#replica` from here on.
   */
  async promote(): Promise<void> {
    await at(this.#replica.server, (client) => client.replicaof('NO', 'ONE'));
    [this.#primary, this.#replica] = [this.#replica, this.#primary];
  }

  /** Leads those who come through a door to the primary, and throws out those who are inside. */
  lead(door: FaultProxy): void {
    door.retarget(this.primary);
    door.cut();
  }

  /**
   * A planned failover: the replica has all that was written, the old primary follows it,
   * and nobody takes from both.
   */
  async takeOver(): Promise<void> {
    const old = this.primary;
    // The pause outlasts what follows; whoever is held up by it is refused by a replica then.
    await at(old, (client) => client.client('PAUSE', 60_000, 'WRITE'));
    const offset = async (server: RedisServer, field: string) => {
      const info = await at(server, (client) => client.info('replication'));
      return Number(new RegExp(`${field}:(\\d+)`).exec(info)?.[1]);
    };
    const written = await offset(old, 'master_repl_offset');
    const end = Date.now() + 30_000;
    while (!((await offset(this.#replica.server, 'slave_repl_offset')) >= written)) {
      if (Date.now() > end) throw new Error('the replica did not catch up');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await this.promote();
    await this.follow();
    await at(old, (client) => client.client('UNPAUSE'));
    for (const door of this.doors) this.lead(door);
  }

  async killOld(): Promise<void> {
    await this.#replica.server.kill();
    await this.#replica.server.restart();
  }

  /** Makes the other node a replica of the primary and waits until it is in sync. */
  async follow(): Promise<void> {
    const { link } = this.#primary;
    await this.#replica.link.setMode('pass');
    await link.setMode('pass');
    await at(this.#replica.server, async (client) => {
      await client.replicaof(link.host, link.port);
      const end = Date.now() + 30_000;
      while (!(await client.info('replication')).includes('master_link_status:up')) {
        if (Date.now() > end) throw new Error('the replica did not come into sync');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
  }

  close(): Promise<void> {
    return closeAll(this.#closing);
  }
}

async function closeAll(opened: readonly AsyncDisposable[]): Promise<void> {
  await Promise.all(opened.map((one) => one[Symbol.asyncDispose]()));
}

async function at<T>(server: RedisServer, run: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(server.url, { maxRetriesPerRequest: 3 });
  client.on('error', () => {
    // The caller sees it as a rejection.
  });
  try {
    return await run(client);
  } finally {
    client.disconnect();
  }
}
