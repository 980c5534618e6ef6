import { createHmac, KeyObject } from 'node:crypto';
import type { Gpid } from '../process/gpid.js';

/**
 * The part of `KeyObject` of node:crypto that is used here. Declared, so that the type declarations do not
 * need those of Node.js.
 */
interface SecretKey {
  readonly type: string;
  readonly symmetricKeySize?: number | undefined;
}

/** In bytes. A shorter key would be as easy to guess as an address. */
const SHORTEST_KEY = 16;

/**
 * A pseudonym for `gpid`, for use where its address must stay secret: HMAC-SHA256 of the gpid's string
 * (UTF-8) with `key`, as 64 hex digits. Equal gpids have equal digests with the same key. Without the key,
 * the address cannot be found by trying all addresses, and digests with different keys cannot be linked.
 * Throws a `RangeError` if the key has fewer than 16 bytes, and a `TypeError` if it is not a key.
 */
export function digest(gpid: Gpid, key: string | Uint8Array | SecretKey): string {
  if (!isKey(key)) throw new TypeError('digest: key must be a string, a Uint8Array or a KeyObject');
  const bytes = bytesOf(key);
  if (bytes < SHORTEST_KEY) {
    throw new RangeError(`digest: key must have at least ${SHORTEST_KEY} secret bytes, got ${bytes}`);
  }
  return createHmac('sha256', key).update(gpid.toString()).digest('hex');
}

function bytesOf(key: string | Uint8Array | KeyObject): number {
  if (typeof key === 'string') return Buffer.byteLength(key);
  return key instanceof Uint8Array ? key.byteLength : (key.symmetricKeySize ?? 0);
}

function isKey(key: unknown): key is string | Uint8Array | KeyObject {
  return typeof key === 'string' || key instanceof Uint8Array || key instanceof KeyObject;
}
