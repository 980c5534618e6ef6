import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Gpid, type Observation, PeerTracker, relationOf } from '../../src/index.js';
import { type Child, scriptArguments, startChild } from '../support/children.js';

const UNSHARE = 'unshare';

const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];

/** Why `unshare` cannot make such namespaces here; undefined where it can. */
function whyNot(flags: readonly string[], setUp: string): string | undefined {
  const { error, status, stderr } = spawnSync(UNSHARE, [...asRoot, ...flags, 'sh', '-ec', setUp]);
  if (error === undefined && status === 0) return undefined;
  return `needs "unshare ${[...asRoot, ...flags].join(' ')}": ${error?.message ?? String(stderr).trim()}`;
}

/** Why another user cannot run our scripts: Node.js, or this checkout, may be in a folder of root. */
function whyNotAsNobody(): string | undefined {
  if (asRoot.length > 0) return 'needs root, to run as two users';
  const nobody = { uid: 65_534, gid: 65_534 };
  const here = fileURLToPath(import.meta.url);
  const { error, status } = spawnSync(
    process.execPath,
    ['--eval', 'fs.readFileSync(process.argv[1])', here],
    nobody,
  );
  if (error !== undefined) return `needs a Node.js that every user may run: ${error.message}`;
  return status === 0 ? undefined : `needs a checkout that every user may read, not ${here}`;
}

interface Report {
  readonly gpid: string;
  readonly ids: readonly string[];
  readonly error?: string;
}

async function report(child: Child): Promise<Report> {
  return JSON.parse(await child.line());
}

/** A process in new namespaces, after the shell has run `setUp` there. */
function startIn(flags: readonly string[], setUp: string, options: object): Child {
  return runIn(flags, setUp, new URL('../support/one-report.ts', import.meta.url), [JSON.stringify(options)]);
}

function runIn(flags: readonly string[], setUp: string, script: URL, more: readonly string[] = []): Child {
  const args = scriptArguments(script, more);
  return startChild(UNSHARE, [
    ...asRoot,
    ...flags,
    'sh',
    '-ec',
    `${setUp}\nexec "$@"`,
    'sh',
    process.execPath,
    ...args,
  ]);
}

function expectApart(a: Report, b: Report, seen: Observation['relation']): void {
  const [first, second] = [Gpid.parse(a.gpid), Gpid.parse(b.gpid)];
  expect(first.endpoint).toBe(second.endpoint);
  expect(relationOf(first, second)).toBe('restarted');
  const tracker = new PeerTracker();
  expect([first, second, first].map((gpid) => tracker.observe(gpid).relation)).toEqual([
    'first',
    seen,
    'same',
  ]);
  expect(new Set([...a.ids, ...b.ids]).size).toBe(2_000);
}

describe('network namespaces', () => {
  const net = ['--net'];
  const link = 'ip link add eth0 type veth peer name eth1; ip link set eth1 up; ip link set eth0 up';
  const ipv4 = `${link}; ip addr add 10.77.0.2/24 dev eth0; ip route add default via 10.77.0.1`;
  const ipv6 = `${link}; ip -6 addr add fd77::2/64 dev eth0 nodad; ip -6 route add default via fd77::1`;

  it('that have one address hold processes that differ', async ({ skip }) => {
    const reason = whyNot(net, ipv4);
    skip(reason !== undefined, reason);
    await using a = startIn(net, ipv4, { port: 8888 });
    await using b = startIn(net, ipv4, { port: 8888 });
    const [first, second] = [await report(a), await report(b)];
    expect(Gpid.parse(first.gpid).ip).toBe('10.77.0.2');
    // A container that is started again has a network namespace of its own as well, so
    // that one is no evidence.
    expectApart(first, second, 'restarted');
  });

  it('with IPv6 only give the address of its default route', async ({ skip }) => {
    const reason = whyNot(net, ipv6);
    skip(reason !== undefined, reason);
    await using child = startIn(net, ipv6, { port: 8888 });
    expect(Gpid.parse((await report(child)).gpid).endpoint).toBe('[fd77::2]:8888');
  });

  it('without a route give an error that asks for the address, and no 127.0.0.1', async ({ skip }) => {
    const reason = whyNot(net, 'ip link set lo up');
    skip(reason !== undefined, reason);
    await using child = startIn(net, 'ip link set lo up', { port: 8888 });
    expect((await report(child)).error).toContain('option "address": is required');
  });
});

describe('pid namespaces', () => {
  const pid = ['--pid', '--fork', '--mount-proc', '--kill-child'];

  it('that have a pid 1 each hold processes that differ', async ({ skip }) => {
    const reason = whyNot(pid, 'true');
    skip(reason !== undefined, reason);
    const options = { port: 8888, address: '172.17.0.2' };
    await using a = startIn(pid, '', options);
    await using b = startIn(pid, '', options);
    const [first, second] = [await report(a), await report(b)];
    expect([first, second].map(({ gpid }) => Gpid.parse(gpid).pid)).toEqual([1, 1]);
    expect(Gpid.parse(first.gpid).evidence.pidns).not.toBe(Gpid.parse(second.gpid).evidence.pidns);
    expectApart(first, second, 'first');
  });

  it('whose /proc hides the processes of other users leave open whether such a one is alive', async ({
    skip,
  }) => {
    const hide = 'mount -o remount,hidepid=2 /proc';
    const reason = whyNotAsNobody() ?? whyNot(pid, hide);
    skip(reason !== undefined, reason);
    await using child = runIn(pid, hide, new URL('../support/hidden-process.ts', import.meta.url));
    expect(JSON.parse(await child.line())).toEqual({ found: ['undefined', 'false', 'true'] });
  });
});
