import { createHmac, KeyObject } from 'node:crypto';
import type { Gpid } from '../gpid.js';

/** What a `KeyObject` of node:crypto shows of itself: so the declarations need no types of Node.js. */
interface SecretKey {
  readonly type: string;
  readonly symmetricKeySize?: number | undefined;
}

/** Below this a key is guessed as easily as an address. In bytes. */
const SHORTEST_KEY = 16;

/**
 * A name for the incarnation that `gpid` means where its address must not be known: HMAC-SHA256 of the gpid's
 * string (UTF-8) under `key`, 64 hexadecimal digits. Equal gpids have equal digests under one key. Without
 * the key neither the address can be found by trying, nor two digests under different keys be matched. Throws
 * a `RangeError` for a key below 16 bytes.
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
