import { setTimeout as pause } from 'node:timers/promises';
import { type FaultProxy, type PatroniCluster, type PatroniNode, startFaultProxy } from '@ids/local-services';

const LOOK_EVERY_MS = 200;
/** Longer than a deposed leader serves, so that what is late stays with it until then. */
const LATE_MS = 8_000;

interface Policy {
  choose(cluster: PatroniCluster): Promise<PatroniNode | undefined>;
  readonly lateMs?: number;
}

/** The first one that accepts writes, as drivers do that get a list of servers: it may be a deposed one. */
async function firstOf(nodes: readonly PatroniNode[]): Promise<PatroniNode | undefined> {
  for (const node of nodes) if (await node.acceptsWrites()) return node;
  return undefined;
}

/** How services find their primary. Whatever the next leader is, some of them come back to the former one. */
export const POLICIES: Readonly<Record<string, Policy>> = {
  'at once': { choose: (cluster) => cluster.leader() },
  late: { choose: (cluster) => cluster.leader(), lateMs: LATE_MS },
  'first of the list': { choose: ({ nodes }) => firstOf(nodes) },
  'last of the list': { choose: ({ nodes }) => firstOf([...nodes].reverse()) },
};

/** The way of one process to its database. */
export interface Route extends AsyncDisposable {
  readonly url: string;
}

export async function openRoute(cluster: PatroniCluster, policy: Policy): Promise<Route> {
  let at = await cluster.leaderAfter(undefined);
  const proxy = await startFaultProxy({ target: addressOf(at) });
  const stop = new AbortController();
  const follow = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const next = (await policy.choose(cluster).catch(() => undefined)) ?? at;
      if (next !== at) at = await lead(proxy, next, policy.lateMs);
      await pause(LOOK_EVERY_MS);
    }
  };
  const following = follow();
  return {
    url: proxy.url(at.url),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
      await proxy.close();
    },
  };
}

async function lead(proxy: FaultProxy, next: PatroniNode, lateMs: number | undefined): Promise<PatroniNode> {
  if (lateMs !== undefined) await pause(lateMs);
  proxy.retarget(addressOf(next));
  // What is late does not end connections either: they wait for the frozen server, which wakes.
  if (lateMs === undefined) proxy.cut();
  return next;
}

function addressOf({ port }: PatroniNode): { readonly host: string; readonly port: number } {
  return { host: '127.0.0.1', port };
}
