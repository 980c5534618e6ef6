import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startMariadb, startRedis } from '@ids/local-services';
import { openSource } from '@ids/segment/sql';
import { openDatabase } from '@ids/store/open';
import { afterAll, describe, expect, it } from 'vitest';
import { REDIS_CLIENTS } from '../support/client-names.js';
import { openUrl } from '../support/connect-in-process.js';

const dir = mkdtempSync(join(tmpdir(), 'ids-tls-'));
const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const own = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
execFileSync('openssl', ['req', '-x509', ...ec, '-keyout', key, '-out', cert, ...own], { stdio: 'ignore' });
afterAll(() => rmSync(dir, { recursive: true }));

const refusal = (opening: Promise<unknown>) =>
  opening.then(
    () => 'opened',
    ({ code, message }) => `${code} ${message}`,
  );

describe('TLS', () => {
  it.each(REDIS_CLIENTS)('of Redis is named where it fails or is missing, with %s', async (name) => {
    const port = await freePort();
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
    const args = ['--tls-port', String(port), ...files, '--tls-auth-clients', 'no'];
    await using redis = await startRedis({ args });
    const open = (scheme: string, to: number) => refusal(openUrl(`${scheme}://127.0.0.1:${to}`, name));
    expect(await open('rediss', port)).toMatch(/^ERR_IDS_CONFIG .*self-signed.*NODE_EXTRA_CA_CERTS/);
    expect(await open('redis', port)).toMatch(/^ERR_IDS_CONFIG .*write rediss:/);
    expect(await open('rediss', redis.port)).toMatch(/^ERR_IDS_CONFIG .*write redis:/);
  });

  it('of MySQL is as the URL says, or refused', async () => {
    await using secure = await startMariadb({ settings: { 'ssl-cert': cert, 'ssl-key': key } });
    const cipher = async (query: string) => {
      const database = await openDatabase(`${secure.url}mysql?${query}`);
      const { rows } = await database.execute("SHOW STATUS LIKE 'Ssl_cipher'", []).finally(database.close);
      return String(rows[0]?.Value);
    };
    expect(await cipher('ssl-mode=disabled')).toBe('');
    expect(await cipher('ssl-mode=REQUIRED')).toMatch(/./);
    expect(await refusal(cipher('ssl-mode=PREFERRED'))).toMatch(/^ERR_IDS_CONFIG .*VERIFY_IDENTITY/);
    expect(await refusal(cipher('useSSL=true'))).toMatch(/^ERR_IDS_CONFIG .*"useSSL"/);
    const described = async (url: string) => {
      const { source } = await openSource({ database: url });
      return refusal(source.describe('order').finally(() => source.close()));
    };
    expect(await described(`${secure.url}mysql?ssl=true`)).toMatch(/^ERR_IDS_CONFIG .*self-signed/);
    await using plain = await startMariadb({ settings: { ssl: '0' } });
    expect(await described(`${plain.url}mysql?ssl-mode=REQUIRED`)).toMatch(/^ERR_IDS_CONFIG .*has no TLS/);
  });
});
