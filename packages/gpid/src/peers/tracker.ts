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
   * Endpoints to remember, 1 .. 2^24, by default 10,000. The one not seen for longest is forgotten,
   * and is then `first` again.
   */
  readonly maxEndpoints?: number;
}

const MOST_ENDPOINTS = 2 ** 24;

/**
 * Remembers who was seen at which endpoint, in bounded memory: at most `maxEndpoints` endpoints with 64 gpids
 * each. Which of two incarnations is the older one it knows from `boot` and `ticks` where both have them;
 * else the one heard of later came later.
 */
export class PeerTracker {
  readonly #maxEndpoints: number;
  /** The longest not seen first. */
  readonly #endpoints = new Map<string, EndpointPeers>();

  /** Throws a `RangeError` when an option is outside its range. */
  constructor({ maxEndpoints = 10_000 }: PeerTrackerOptions = {}) {
    if (!Number.isInteger(maxEndpoints) || maxEndpoints < 1 || maxEndpoints > MOST_ENDPOINTS) {
      throw new RangeError(
        `PeerTracker: maxEndpoints must be a whole number from 1 to ${MOST_ENDPOINTS}, got ${shownValue(maxEndpoints)}`,
      );
    }
    this.#maxEndpoints = maxEndpoints;
  }

  /** How many endpoints are remembered. */
  get size(): number {
    return this.#endpoints.size;
  }

  /** Takes note that `gpid` was heard of, and says what that means for its endpoint. */
  observe(gpid: Gpid): Observation {
    return this.#peersAt(gpid).observe(gpid);
  }

  #peersAt(gpid: Gpid): EndpointPeers {
    // No port is no place: processes without one have nothing in common.
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

/** What an observation says about the peer at an endpoint. */
export type Observation =
  /**
   * Not seen before, and nothing seen there that it is known to replace. Another host or container at the
   * same endpoint is `first` too: it may live beside the one seen before.
   */
  | { readonly relation: 'first'; readonly gpid: Gpid }
  /**
   * Seen before. With `successor` it is a late word of a process that was replaced: seen before, or by its
   * evidence older than one that was. No news, no alarm.
   */
  | { readonly relation: 'same'; readonly gpid: Gpid; readonly successor?: Gpid }
  /** It took the place of `predecessor`, whose memory is gone. */
  | { readonly relation: 'restarted'; readonly gpid: Gpid; readonly predecessor: Gpid };

/**
 * Incarnations that live side by side and are replaced together: the threads of a process,
 * the workers of a primary.
 */
interface Group {
  /** The one heard of last. */
  latest: Gpid;
  successor?: Gpid;
}

/**
 * A gpid as it was heard. One process has several where its evidence was shown in
 * parts; they share their group.
 */
interface Peer {
  readonly gpid: Gpid;
  readonly names: PeerNames;
  readonly group: Group;
}

/** Enough for the cluster workers of one port, and for late words of predecessors. */
const PEERS_PER_ENDPOINT = 64;

/**
 * Who was seen at one endpoint. A gpid is compared with the few that its names lead to, never with all, so
 * the cost of an observation does not depend on how many incarnations are remembered.
 */
class EndpointPeers {
  /** By the string of the gpid, the longest unheard first. */
  readonly #peers = new Map<string, Peer>();
  /** The peer of each name that was heard of last. */
  readonly #named = new Map<string, Peer>();

  observe(gpid: Gpid): Observation {
    const known = this.#peers.get(gpid.toString());
    if (known !== undefined) return this.#hear(known, 'same');
    const names = namesOf(gpid);
    const same = this.#find(names.same, gpid, 'same');
    if (same !== undefined) return this.#hear({ gpid, names, group: same.group }, 'same');
    // A thread that is known has begun anew: the process replaced itself, so that none of
    // its threads is a sibling.
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

  /** A peer in a group of its own: which ones does it follow? */
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

/** Keys under which peers of one endpoint are kept, and looked up by those that come after them. */
interface PeerNames {
  /** Of the thread that is meant, whatever its memory. */
  readonly thread: string;
  /** Under which this gpid is found. */
  readonly own: readonly string[];
  /** Where its own thread is found when it was heard of with less evidence, or with more. */
  readonly same: readonly string[];
  /** Where threads of its process and workers of its primary are found. */
  readonly siblings: readonly string[];
  /** Under which it is found as the one that lives at the endpoint. */
  readonly head: readonly string[];
  /** Where those are found that it may replace. */
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
