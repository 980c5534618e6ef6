/** Codes for a certificate: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE))/;

/** What to do about a failure or want of TLS; undefined for other errors. A retry does not help. */
export function tlsHint(error: unknown): string | undefined {
  const { code, errno, message } = Object(error) as Partial<Record<'code' | 'errno' | 'message', unknown>>;
  const text = String(message);
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT' || /server does not support SSL/.test(text)) {
    return 'the server has no TLS: set it up there, or do not ask for it';
  }
  // Of Postgres, by a line `hostssl`; of MySQL and MariaDB, by `require_secure_transport`.
  if (errno === 3159 || (code === '28000' && /no encryption|SSL off/.test(text))) {
    return 'the server wants TLS here: ask for it in the URL or the pool';
  }
  if (/ERR_SSL_|EPROTO/.test(String(code))) return 'TLS failed: is this a port with TLS?';
  // mysql2 replaces the code of whatever ends the handshake.
  if (code !== 'HANDSHAKE_SSL_ERROR' && !CERTIFICATE.test(String(code))) return undefined;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'use a host name that is in the certificate of the server';
  if (/expired|not yet valid/.test(text)) return 'renew the certificate of the server, or set the clocks';
  return 'let Node.js trust who signed the certificate of the server: NODE_EXTRA_CA_CERTS=<file>, or pass a client with "ca"';
}
