import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digest, Gpid } from '../src/index.js';

const text = '10.0.0.7:8888:1307761900123456:4711';
const gpid = () => Gpid.parse(text);
const key = 'a secret of sixteen bytes or more';

describe('digest', () => {
  it('is the HMAC-SHA256 of the text, so that any language can make it', () => {
    // printf %s 10.0.0.7:8888:1307761900123456:4711 | openssl dgst -sha256 -hmac 'a secret
    // of sixteen bytes or more'
    const known = '95a55f1ae0aad3be64480b43f50f7d112f371f6db68de191ab66f40599db4996';
    expect(digest(gpid(), key)).toBe(known);
    expect(digest(gpid(), Buffer.from(key))).toBe(known);
    expect(digest(gpid(), createSecretKey(Buffer.from(key)))).toBe(known);
  });

  it('differs by process and by key', () => {
    expect(digest(Gpid.parse(`${text};thread=1`), key)).not.toBe(digest(gpid(), key));
    expect(digest(gpid(), `${key}!`)).not.toBe(digest(gpid(), key));
  });

  it.each(['k'.repeat(16), new Uint8Array(16)])('takes a key of 16 bytes', (shortest) => {
    expect(digest(gpid(), shortest)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(['', 'short', new Uint8Array(15)])('refuses a key that can be guessed', (short) => {
    expect(() => digest(gpid(), short)).toThrow(RangeError);
    expect(() => digest(gpid(), short)).toThrow('key must have at least 16 secret bytes');
  });

  it('refuses what only looks like a key', () => {
    const lookalike = { type: 'secret', symmetricKeySize: 32 };
    expect(() => digest(gpid(), lookalike)).toThrow(
      new TypeError('digest: key must be a string, a Uint8Array or a KeyObject'),
    );
  });
});
