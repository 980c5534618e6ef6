import { type RedisServer, startRedis } from '@ids/local-services';
import { Redis } from 'ioredis';
import { Random } from '../../src/random.js';
import { RedisError, toClient } from '../../src/redis/commands.js';
import { RedisNode } from '../../src/redis/redis-node.js';
import { Scheduler } from '../../src/time/scheduler.js';

/** The same commands for a real Redis and a simulated one. */
export class BothServers implements AsyncDisposable {
  readonly server: RedisServer;
  readonly client: Redis;
  readonly node: RedisNode;

  private constructor(server: RedisServer, client: Redis, node: RedisNode) {
    this.server = server;
    this.client = client;
    this.node = node;
  }

  static async start(): Promise<BothServers> {
    const server = await startRedis();
    return new BothServers(server, new Redis(server.url), simulatedNode());
  }

  /** What each answers: a reply, or an error's first word. */
  async run(
    args: readonly (string | number)[],
  ): Promise<{ readonly real: unknown; readonly simulated: unknown }> {
    return { real: await this.real(args), simulated: this.simulated(args) };
  }

  real(args: readonly (string | number)[]): Promise<unknown> {
    const [name = '', ...rest] = args.map(String);
    return this.client.call(name, ...rest).catch((error: Error) => codeOf(error));
  }

  simulated(args: readonly (string | number)[]): unknown {
    const reply = this.node.execute(args.map(String));
    return reply instanceof RedisError ? codeOf(reply) : toClient(reply);
  }

  async eval(text: string, key: string, args: readonly (string | number)[] = []) {
    return this.run(['EVAL', text, 1, key, ...args]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.disconnect();
    await this.server.close();
  }
}

function simulatedNode(name = 'simulated', scheduler = new Scheduler()): RedisNode {
  return new RedisNode({ name, scheduler, random: new Random(1), cpuTickUs: 1 });
}

function codeOf(error: Error): string {
  return `error ${error.message.split(' ')[0]}`;
}
