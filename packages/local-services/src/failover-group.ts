import { setTimeout as delay } from 'node:timers/promises';

/** A server of a group, one of which leads. */
export interface GroupNode {
  /** As the manager of the group calls it. */
  readonly name: string;
  readonly port: number;
  /** All nodes have the same user, password and database. */
  readonly url: string;
  /** Whether it says so within a second. */
  acceptsWrites(): Promise<boolean>;
  /** Stops all processes of the node, as if its machine hung. */
  freeze(): Promise<void>;
  /** Lets the server go on, which does not know what happened meanwhile. */
  wakeServer(): void;
  /** Asks for a planned switch from this leader to another node, and waits until that leads. */
  handOver(): Promise<void>;
  /** Lets its manager go on, if it has one of its own, which demotes a server that no longer leads. */
  wakeManager(): void;
}

/** Servers that follow the one that leads, and another one that takes its place. */
export interface FailoverGroup extends AsyncDisposable {
  readonly nodes: readonly GroupNode[];
  /** By program. */
  readonly versions: Readonly<Record<string, string>>;
  /** The node that leads, as far as the manager knows; undefined if none does. */
  leader(): Promise<GroupNode | undefined>;
  /** Waits up to 60 s until another node than `former` leads and accepts writes. */
  leaderAfter(former: GroupNode | undefined): Promise<GroupNode>;
  /** Waits up to 2 minutes until all nodes but the leader follow it. */
  complete(): Promise<void>;
  /** Ends all servers. Idempotent. */
  close(): Promise<void>;
}

const patienceMs = 1_000;

/** What a server answers; undefined if it does not within a second. */
export function answersSoon<T>(ask: () => Promise<T>): Promise<T | undefined> {
  return Promise.race([ask().catch(() => undefined), delay(patienceMs, undefined, { ref: false })]);
}

/** One process that serves, as `groupOf` needs it. */
interface Server {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
}

/** How a kind of group does what every group can do, by a manager that does not freeze with a server. */
export interface Manager<S extends Server> {
  readonly servers: readonly S[];
  readonly versions: FailoverGroup['versions'];
  acceptsWrites(server: S): Promise<boolean>;
  leader(): Promise<S>;
  leaderAfter(former: S): Promise<S>;
  handOver(leader: S): Promise<unknown>;
  complete(): Promise<unknown>;
  close(): Promise<void>;
}

export function groupOf<S extends Server>(manager: Manager<S>): FailoverGroup {
  const { servers, versions } = manager;
  const nodes = servers.map(
    (server, i): GroupNode => ({
      name: `n${i + 1}`,
      port: server.port,
      url: server.url,
      acceptsWrites: async () => (await answersSoon(() => manager.acceptsWrites(server))) === true,
      freeze: async () => void process.kill(server.pid, 'SIGSTOP'),
      wakeServer: () => void process.kill(server.pid, 'SIGCONT'),
      handOver: async () => void (await manager.handOver(server)),
      wakeManager: () => {},
    }),
  );
  const nodeOf = (server: S) => nodes[servers.indexOf(server)] as GroupNode;
  const close = () => manager.close();
  return {
    nodes,
    versions,
    leader: async () => nodeOf(await manager.leader()),
    leaderAfter: async (former) => {
      const server = servers.find((_, i) => nodes[i] === former);
      return nodeOf(await (server === undefined ? manager.leader() : manager.leaderAfter(server)));
    },
    complete: async () => void (await manager.complete()),
    close,
    [Symbol.asyncDispose]: close,
  };
}
