import type { Random } from '../random.js';
import type { Scheduler } from '../time/scheduler.js';
import type { Keyspace } from './keyspace.js';
import type { Reply } from './reply.js';

/** The settings of a server that a run chooses. */
export interface RedisNodeOptions {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** The steps in which the processor time rises, in microseconds: kernels count in ticks or exactly. */
  readonly cpuTickUs: number;
  /** `replica-read-only no`: as a replica it accepts writes of clients, which stay its own. */
  readonly writableReplica?: boolean;
  /** Hears which script ran on which key, and what it replied. */
  readonly ran?: (keyspace: Keyspace, key: string, reply: Reply) => void;
}

/** How a command came, beyond its words. */
export interface ExecuteOptions {
  /** Behind an `ASKING` on the same connection. */
  readonly asking?: boolean;
  /** Of the server itself, which may do what clients may not. */
  readonly local?: boolean;
}
