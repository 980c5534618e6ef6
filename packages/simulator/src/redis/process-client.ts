import type { PipelineLike, RedisLike } from '@ids/segment-redis-db';
import type { RedisNode } from './redis-node.js';

export type Outcome = [error: Error | null, reply: unknown];

/** The message with which ioredis rejects commands that it could not send or complete. */
export const CONNECTION_CLOSED = 'Connection is closed.';

/** The connection of a process to Redis, on which a run can cause faults. */
export interface ProcessClient extends RedisLike {
  /** The time in transit of a command or a reply, in milliseconds: from, to. */
  latency: readonly [number, number];
  /** Nothing is delivered before this time. */
  stalledUntil: number;
  /** Commands that a server may yet execute: on their way, or without a reply, so that they may be resent. */
  readonly inTransit: readonly (readonly string[])[];
  isConnectedTo(node: RedisNode): boolean;
  /** Until a given time, a share of the replies is lost, each with its connection. */
  loses(share: number, until: number): void;
  /**
   * Ends the connection; in a Cluster the one to `node`, or all of them. The client reconnects after
   * `pauseMs`.
   */
  reset(pauseMs: number, node?: RedisNode): void;
}

/** The methods of a client, based on its way to send several commands together. */
export abstract class SendingClient implements RedisLike {
  /** Sends commands together. Resolves with the outcome of each. */
  abstract send(commands: readonly (readonly string[])[]): Promise<Outcome[]>;

  evalsha(...args: (string | number)[]): Promise<unknown> {
    return this.#single(['evalsha', ...args.map(String)]);
  }

  eval(...args: (string | number)[]): Promise<unknown> {
    return this.#single(['eval', ...args.map(String)]);
  }

  pipeline(): PipelineLike {
    const commands: string[][] = [];
    const add =
      (name: string) =>
      (...args: (string | number)[]): PipelineLike => {
        commands.push([name, ...args.map(String)]);
        return pipeline;
      };
    const pipeline: PipelineLike = {
      evalsha: add('evalsha'),
      eval: add('eval'),
      wait: add('wait'),
      exec: () => this.send(commands),
    };
    return pipeline;
  }

  async #single(command: readonly string[]): Promise<unknown> {
    const [outcome] = await this.send([command]);
    const [error, reply] = outcome ?? [new Error('no outcome'), undefined];
    if (error !== null) throw error;
    return reply;
  }
}
