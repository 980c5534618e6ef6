import { compare, type Relation } from './compare.js';
import type { Gpid } from './gpid.js';
import { namesOf, type PeerNames } from './peer-names.js';
import { areOnOneHost, mayBeOlder, startedBefore } from './succession.js';

/** What an observation tells of the peer at an endpoint. */
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
export class EndpointPeers {
  /** By the text of the gpid, the longest unheard first. */
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
    return this.#byNames(names).find((peer) => compare(peer.gpid, gpid) === relation);
  }

  #byNames(names: readonly string[]): Peer[] {
    return names.map((name) => this.#named.get(name)).filter((peer) => peer !== undefined);
  }

  /** A peer in a group of its own: which ones does it follow? */
  #succeed(peer: Peer): Observation {
    const { gpid, names, group } = peer;
    const heads = this.#byNames(names.heads).filter(
      (head) => areOnOneHost(head.gpid, gpid) && compare(head.gpid, gpid) === 'restarted',
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
