import { shownValue } from '@ids/core';
import { EndpointPeers, type Observation } from './endpoint-peers.js';
import type { Gpid } from './gpid.js';

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
