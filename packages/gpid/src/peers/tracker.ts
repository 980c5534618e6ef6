import { formatValue } from '@ids/core/strategy';
import type { Gpid } from '../process/gpid.js';
import {
  areOnOneHost,
  mayBeOlder,
  type Relation,
  relationOf,
  startedBefore,
  threadOf,
} from '../process/relation.js';

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
        `PeerTracker: maxEndpoints must be a whole number from 1 to ${MOST_ENDPOINTS}, got ${formatValue(maxEndpoints)}`,
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
  readonly group: Group;
}

/** Enough for the cluster workers of one port, and for late messages of predecessors. */
const PEERS_PER_ENDPOINT = 64;

/** The processes seen at one endpoint. */
class EndpointPeers {
  /** By the gpid's string, in order of last observation, the oldest first. */
  readonly #peers = new Map<string, Peer>();

  observe(gpid: Gpid): Observation {
    const known = this.#peers.get(gpid.toString());
    if (known !== undefined) return this.#record(known, 'same');
    const latestFirst = [...this.#peers.values()].reverse();
    const related = (relation: Relation): Peer[] =>
      latestFirst.filter((peer) => relationOf(peer.gpid, gpid) === relation);
    const [same] = related('same');
    if (same !== undefined) return this.#record({ gpid, group: same.group }, 'same');
    // A known thread with a new incarnation means that the process replaced itself, so none of its threads is
    // a sibling.
    const isNewIncarnation = latestFirst.some((peer) => areOneThread(peer.gpid, gpid));
    const [sibling] = isNewIncarnation ? [] : related('different');
    if (sibling !== undefined) return this.#record({ gpid, group: sibling.group }, 'first');
    return this.#succeed(
      gpid,
      related('restarted').filter((peer) => areOnOneHost(peer.gpid, gpid)),
    );
  }

  /** Adds a peer with a new group, and determines which of the groups of `others` it replaces. */
  #succeed(gpid: Gpid, others: readonly Peer[]): Observation {
    const group: Group = { latest: gpid };
    const present = others.filter((other) => other.group.successor === undefined);
    const younger = [...present, ...others].find((other) => startedBefore(gpid, other.gpid));
    if (younger !== undefined) {
      group.successor = younger.gpid;
      return this.#record({ gpid, group }, 'same');
    }
    for (const other of present) if (!mayBeOlder(gpid, other.gpid)) other.group.successor = gpid;
    const first = this.#record({ gpid, group }, 'first');
    const [predecessor] = present;
    return predecessor === undefined
      ? first
      : { relation: 'restarted', gpid, predecessor: predecessor.group.latest };
  }

  #record(peer: Peer, relation: 'first' | 'same'): Observation {
    const { gpid, group } = peer;
    const text = gpid.toString();
    this.#peers.delete(text);
    this.#peers.set(text, peer);
    if (this.#peers.size > PEERS_PER_ENDPOINT) {
      const [longestUnseen = text] = this.#peers.keys();
      this.#peers.delete(longestUnseen);
    }
    group.latest = gpid;
    return group.successor === undefined
      ? { relation, gpid }
      : { relation: 'same', gpid, successor: group.successor };
  }
}

/** Whether both are the same thread of the same process, whatever its incarnation. */
function areOneThread(a: Gpid, b: Gpid): boolean {
  return a.fourTuple === b.fourTuple && (threadOf(a) ?? 0) === (threadOf(b) ?? 0);
}
