import { shownValue } from '@ids/core/strategy';
import type { Gpid } from '../gpid.js';
import {
  areOnOneHost,
  mayBeOlder,
  primaryTicks,
  type Relation,
  relationOf,
  startedBefore,
  threadOf,
} from '../relation.js';

export interface PeerTrackerOptions {
  /**
   * The most endpoints to remember, 1 .. 2^24, by default 10,000. Beyond that, the one not seen for longest
   * is forgotten; if seen again, it is reported as `first`.
   */
  readonly maxEndpoints?: number;
}

const MOST_ENDPOINTS = 2 ** 24;

/**
 * Tracks which processes were seen at which endpoint, in bounded memory: at most `maxEndpoints` endpoints
 * with 64 gpids each. Orders two incarnations by `boot` and `ticks` if both have them, otherwise by when they
 * were first seen.
 */
export class PeerTracker {
  readonly #maxEndpoints: number;
  /** In order of last observation, the oldest first. */
  readonly #endpoints = new Map<string, EndpointPeers>();

  /** Throws a `RangeError` if an option is outside its range. */
  constructor({ maxEndpoints = 10_000 }: PeerTrackerOptions = {}) {
    if (!Number.isInteger(maxEndpoints) || maxEndpoints < 1 || maxEndpoints > MOST_ENDPOINTS) {
      throw new RangeError(
        `PeerTracker: maxEndpoints must be a whole number from 1 to ${MOST_ENDPOINTS}, got ${shownValue(maxEndpoints)}`,
      );
    }
    this.#maxEndpoints = maxEndpoints;
  }

  /** The number of endpoints remembered. */
  get size(): number {
    return this.#endpoints.size;
  }

  /** Records that `gpid` was observed, and returns what that means for its endpoint. */
  observe(gpid: Gpid): Observation {
    return this.#peersAt(gpid).observe(gpid);
  }

  #peersAt(gpid: Gpid): EndpointPeers {
    // Processes without a port do not share an endpoint.
    const place = gpid.port === 0 ? gpid.fourTuple : gpid.endpoint;
    const peers = this.#endpoints.get(place) ?? new EndpointPeers();
    this.#endpoints.delete(place);
    this.#endpoints.set(place, peers);
    if (this.#endpoints.size > this.#maxEndpoints) {
      const [longestUnseen = place] = this.#endpoints.keys();
      this.#endpoints.delete(longestUnseen);
    }
    return peers;
  }
}

/** What an observation means for the peer at an endpoint. */
export type Observation =
  /**
   * Not seen before, and not known to replace anything seen at this endpoint. A process of another host or
   * container at the same endpoint is also `first`, because both may be alive.
   */
  | { readonly relation: 'first'; readonly gpid: Gpid }
  /**
   * Seen before. With `successor`, this is a late message of a process that has been replaced: either it was
   * seen before its successor, or its evidence is older. Needs no reaction.
   */
  | { readonly relation: 'same'; readonly gpid: Gpid; readonly successor?: Gpid }
  /** It replaced `predecessor`, whose memory is lost. */
  | { readonly relation: 'restarted'; readonly gpid: Gpid; readonly predecessor: Gpid };

/**
 * Incarnations that run side by side and are replaced together: the threads of a process, the workers of a
 * primary.
 */
interface Group {
  /** The most recently observed member. */
  latest: Gpid;
  successor?: Gpid;
}

/**
 * An observed gpid. One process has several if it was observed with different parts of its evidence; they
 * share a group.
 */
interface Peer {
  readonly gpid: Gpid;
  readonly names: PeerNames;
  readonly group: Group;
}

/** Enough for the cluster workers of one port, and for late messages of predecessors. */
const PEERS_PER_ENDPOINT = 64;

/**
 * The processes seen at one endpoint. A gpid is compared only with the few that share a name with it, so the
 * cost of an observation does not depend on how many incarnations are remembered.
 */
class EndpointPeers {
  /** By the gpid's string, in order of last observation, the oldest first. */
  readonly #peers = new Map<string, Peer>();
  /** The most recently observed peer with each name. */
  readonly #named = new Map<string, Peer>();

  observe(gpid: Gpid): Observation {
    const known = this.#peers.get(gpid.toString());
    if (known !== undefined) return this.#hear(known, 'same');
    const names = namesOf(gpid);
    const same = this.#find(names.same, gpid, 'same');
    if (same !== undefined) return this.#hear({ gpid, names, group: same.group }, 'same');
    // A known thread with a new incarnation means that the process replaced itself, so none of its threads is
    // a sibling.
    const siblings = this.#named.has(names.thread) ? [] : names.siblings;
    const sibling = this.#find(siblings, gpid, 'different');
    if (sibling !== undefined) return this.#hear({ gpid, names, group: sibling.group }, 'first');
    return this.#succeed({ gpid, names, group: { latest: gpid } });
  }

  #find(names: readonly string[], gpid: Gpid, relation: Relation): Peer | undefined {
    return this.#byNames(names).find((peer) => relationOf(peer.gpid, gpid) === relation);
  }

  #byNames(names: readonly string[]): Peer[] {
    return names.map((name) => this.#named.get(name)).filter((peer) => peer !== undefined);
  }

  /** Adds a peer with a new group, and determines which groups it replaces. */
  #succeed(peer: Peer): Observation {
    const { gpid, names, group } = peer;
    const heads = this.#byNames(names.heads).filter(
      (head) => areOnOneHost(head.gpid, gpid) && relationOf(head.gpid, gpid) === 'restarted',
    );
    const younger = heads.find((head) => startedBefore(gpid, head.gpid));
    if (younger !== undefined) {
      group.successor = younger.gpid;
      return this.#hear(peer, 'same');
    }
    const replaced = heads.filter((head) => head.group.successor === undefined);
    for (const head of replaced) if (!mayBeOlder(gpid, head.gpid)) head.group.successor = gpid;
    const first = this.#hear(peer, 'first');
    const [predecessor] = replaced;
    return predecessor === undefined
      ? first
      : { relation: 'restarted', gpid, predecessor: predecessor.group.latest };
  }

  #hear(peer: Peer, relation: 'first' | 'same'): Observation {
    const { gpid, names, group } = peer;
    this.#peers.delete(gpid.toString());
    this.#peers.set(gpid.toString(), peer);
    if (this.#peers.size > PEERS_PER_ENDPOINT) this.#forgetLongestUnheard();
    group.latest = gpid;
    for (const name of names.own) this.#named.set(name, peer);
    if (group.successor !== undefined) return { relation: 'same', gpid, successor: group.successor };
    for (const name of names.head) this.#named.set(name, peer);
    return { relation, gpid };
  }

  #forgetLongestUnheard(): void {
    for (const [text, peer] of this.#peers) {
      this.#peers.delete(text);
      for (const name of [...peer.names.own, ...peer.names.head]) {
        if (this.#named.get(name) === peer) this.#named.delete(name);
      }
      return;
    }
  }
}

/** The keys of a peer in the index of its endpoint, and those to look up for it. */
interface PeerNames {
  /** The key of its thread, whatever its incarnation. */
  readonly thread: string;
  /** The keys under which this gpid is found. */
  readonly own: readonly string[];
  /** The keys under which its thread is found if it was observed with less or more evidence. */
  readonly same: readonly string[];
  /** The keys of threads of its process and of workers of its primary. */
  readonly siblings: readonly string[];
  /** The keys under which it is found as the present process at the endpoint. */
  readonly head: readonly string[];
  /** The keys of processes that it may have replaced. */
  readonly heads: readonly string[];
}

const ANY_HOST = 'host=';
const LATEST = 'latest';

function namesOf(gpid: Gpid): PeerNames {
  const { fourTuple, evidence } = gpid;
  const { boot, pidns, run = '' } = evidence;
  const thread = `${fourTuple};thread=${threadOf(gpid) ?? 0}`;
  const primary = primaryTicks(gpid);
  const siblings = primary === undefined ? [fourTuple] : [fourTuple, `${boot}/${pidns}@${primary}`];
  const isHostKnown = boot !== undefined && pidns !== undefined;
  const host = isHostKnown ? `${ANY_HOST}${boot}/${pidns}` : ANY_HOST;
  return {
    thread,
    own: [thread, `${thread};run=${run}`, ...siblings],
    same: run === '' ? [thread] : [`${thread};run=${run}`, `${thread};run=`],
    siblings,
    head: [host, LATEST],
    heads: isHostKnown ? [host, ANY_HOST, thread] : [LATEST, thread],
  };
}
