import { join } from 'node:path';
import { OwnedProcess, type SystemUser } from './owned-process.js';
import { freePort } from './ports.js';

/** The two interfaces of etcd 3.4, which do not see each other's keys. */
export type EtcdApi = 'v2' | 'v3';

/** An etcd on 127.0.0.1 in a folder of its owner, who removes it. */
export interface EtcdServer {
  /** Host and port. */
  readonly address: string;
  /** The value of a key; undefined without one. */
  get(key: string, api: EtcdApi): Promise<string | undefined>;
  close(): Promise<void>;
}

const host = '127.0.0.1';
const readyTimeoutMs = 30_000;

export async function startEtcd(
  command: string,
  dir: string,
  user: SystemUser | undefined,
): Promise<EtcdServer> {
  const address = `${host}:${await freePort()}`;
  const [url, peer] = [`http://${address}`, `http://${host}:${await freePort()}`];
  const flags = {
    'data-dir': join(dir, 'etcd'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
    'enable-v2': 'true',
    'log-level': 'error',
  };
  const etcd = await OwnedProcess.start({
    command,
    args: Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    cwd: dir,
    user,
    logFile: join(dir, 'etcd.log'),
    endSignal: 'KILL',
  });
  const healthy = async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true;
  await etcd.ready(`etcd on ${address}`, healthy, readyTimeoutMs);
  return {
    address,
    get: (key, api) => (api === 'v2' ? getV2(url, key) : getV3(url, key)),
    close: () => etcd.end('SIGKILL'),
  };
}

async function getV2(url: string, key: string): Promise<string | undefined> {
  const response = await fetch(`${url}/v2/keys${key}`);
  return ((await response.json()) as { node?: { value: string } }).node?.value;
}

async function getV3(url: string, key: string): Promise<string | undefined> {
  const body = JSON.stringify({ key: Buffer.from(key).toString('base64') });
  const response = await fetch(`${url}/v3/kv/range`, { method: 'POST', body });
  const { kvs } = (await response.json()) as { kvs?: { value: string }[] };
  return kvs?.[0] && Buffer.from(kvs[0].value, 'base64').toString();
}
