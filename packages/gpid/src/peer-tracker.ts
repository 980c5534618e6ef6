import { shownValue } from '@ids/core';
import { compare } from './compare.js';
import type { Gpid } from './gpid.js';

/** What an observation tells of the peer at an endpoint. */
export type Observation =
  /** Not seen before, and nothing seen there that it replaces. */
  | { readonly relation: 'first'; readonly gpid: Gpid }
  /** Seen before. With `successor` it is a late word of a process that was replaced meanwhile: no news, no alarm. */
  | { readonly relation: 'same'; readonly gpid: Gpid; readonly successor?: Gpid }
  /** It took the place of `predecessor`, whose memory is gone. */
  | { readonly relation: 'restarted'; readonly gpid: Gpid; readonly predecessor: Gpid };

interface Peer {
  readonly gpid: Gpid;
  successor?: Gpid;
}

export interface PeerTrackerOptions {
  /** Endpoints to remember, 1 .. 2^24, by default 10,000. The one not seen for longest is forgotten, and is then `first` again. */
  readonly maxEndpoints?: number;
}

/** Enough for the cluster workers of one port, and for late words of predecessors. */
const PEERS_PER_ENDPOINT = 64;
const MOST_ENDPOINTS = 2 ** 24;

/** Remembers who was seen at which endpoint, in bounded memory: at most `maxEndpoints` endpoints with 64 incarnations each. */
export class PeerTracker {
  readonly #maxEndpoints: number;
  /** The longest not seen first; at each endpoint the latest seen first. */
  readonly #endpoints = new Map<string, Peer[]>();

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
    const peers = this.#peersAt(gpid);
    const known = peers.find((peer) => compare(peer.gpid, gpid) === 'same');
    if (known !== undefined) {
      toFront(peers, known);
      return { relation: 'same', gpid, ...(known.successor && { successor: known.successor }) };
    }
    const replaced = peers.filter(
      (peer) => peer.successor === undefined && compare(peer.gpid, gpid) !== 'different',
    );
    for (const peer of replaced) peer.successor = gpid;
    toFront(peers, { gpid });
    if (peers.length > PEERS_PER_ENDPOINT) peers.pop();
    const [predecessor] = replaced;
    if (predecessor === undefined) return { relation: 'first', gpid };
    return { relation: 'restarted', gpid, predecessor: predecessor.gpid };
  }

  #peersAt(gpid: Gpid): Peer[] {
    // No port is no place: processes without one have nothing in common.
    const place = gpid.port === 0 ? gpid.fourTuple : gpid.endpoint;
    const peers = this.#endpoints.get(place) ?? [];
    this.#endpoints.delete(place);
    this.#endpoints.set(place, peers);
    if (this.#endpoints.size > this.#maxEndpoints) {
      const [longestUnseen = place] = this.#endpoints.keys();
      this.#endpoints.delete(longestUnseen);
    }
    return peers;
  }
}

function toFront(peers: Peer[], peer: Peer): void {
  const at = peers.indexOf(peer);
  if (at >= 0) peers.splice(at, 1);
  peers.unshift(peer);
}
