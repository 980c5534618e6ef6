import { createHash, randomBytes } from 'node:crypto';

/** A new token, and the hash by which a server knows it. */
export function newToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: createHash('sha256').update(token).digest('hex') };
}
