import { setTimeout as pause } from 'node:timers/promises';
import { type FailoverGroup, type FaultProxy, type GroupNode, startFaultProxy } from '@ids/local-services';

const LOOK_EVERY_MS = 200;
/** Longer than a deposed leader serves, so that what is late stays with it until then. */
const LATE_MS = 8_000;

interface Policy {
  readonly label: string;
  choose(group: FailoverGroup): Promise<GroupNode | undefined>;
  readonly lateMs?: number;
}

/** The first one that accepts writes, as drivers do that get a list of servers: it may be a deposed one. */
async function firstOf(nodes: readonly GroupNode[]): Promise<GroupNode | undefined> {
  for (const node of nodes) if (await node.acceptsWrites()) return node;
  return undefined;
}

/**
 * How services find their primary: at once, late, the first of a list, and the last one. Whatever the next
 * leader is, some of them come back to the former one.
 */
const POLICIES: readonly Policy[] = [
  { label: 'at once', choose: (group) => group.leader() },
  { label: 'late', choose: (group) => group.leader(), lateMs: LATE_MS },
  { label: 'first', choose: ({ nodes }) => firstOf(nodes) },
  { label: 'last', choose: ({ nodes }) => firstOf([...nodes].reverse()) },
];

/** A way to the leader of a group. */
export interface Route extends AsyncDisposable {
  readonly label: string;
  readonly url: string;
}

/** One of each kind. Who comes late to a planned switch finds a standby, which says nothing of the switch. */
export function openRoutes(group: FailoverGroup, planned: boolean): Promise<readonly Route[]> {
  const policies = POLICIES.filter(({ lateMs }) => !planned || lateMs === undefined);
  return Promise.all(policies.map((policy) => openRoute(group, policy)));
}

async function openRoute(group: FailoverGroup, policy: Policy): Promise<Route> {
  let at = await group.leaderAfter(undefined);
  const proxy = await startFaultProxy({ target: addressOf(at) });
  const stop = new AbortController();
  const follow = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const next = (await policy.choose(group).catch(() => undefined)) ?? at;
      if (next !== at) at = await lead(proxy, next, policy.lateMs);
      await pause(LOOK_EVERY_MS);
    }
  };
  const following = follow();
  return {
    label: policy.label,
    url: proxy.url(at.url),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
      await proxy.close();
    },
  };
}

async function lead(proxy: FaultProxy, next: GroupNode, lateMs: number | undefined): Promise<GroupNode> {
  if (lateMs !== undefined) await pause(lateMs);
  proxy.retarget(addressOf(next));
  // What is late does not end connections either: they wait for the frozen server, which wakes.
  if (lateMs === undefined) proxy.cut();
  return next;
}

function addressOf({ port }: GroupNode): { readonly host: string; readonly port: number } {
  return { host: '127.0.0.1', port };
}
