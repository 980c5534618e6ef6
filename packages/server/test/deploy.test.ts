import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IdsConfig, planGenerators } from '@ids/config';
import { segmentInproc } from '@ids/segment-inproc';
import { validate as isDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as isConfigMap } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap';
import { validate as isService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as isBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { startServer } from '../src/process/server-command.js';

const read = (file: string) => readFileSync(new URL(`../deploy/${file}`, import.meta.url), 'utf8');

const documents = parseAllDocuments(read('kubernetes.yaml')).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS();
});
const of = (kind: string) => documents.find((document) => document.kind === kind);
const [pod] = [new Deployment(of('Deployment')).spec?.template.spec];
const [container] = pod?.containers ?? [];

/** The number in `--<name>=<number>`. */
const numberIn = (args: readonly string[] | undefined, name: string) =>
  Number(args?.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1]);

/** Rejects with what the command says of its arguments, or that it finds no file where they lead. */
const start = (args: readonly string[]) =>
  startServer(args, {
    strategies: [segmentInproc],
    cwd: '/',
    environment: {},
    print: () => undefined,
    printError: () => undefined,
  });

/** A copy of `value` that removes the path of a member from `unread` when that is read. */
function watched(value: unknown, unread: Set<string>, path = ''): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = Array.isArray(value) ? Object([]) : {};
  for (const [name, member] of Object.entries(value)) {
    unread.add(`${path}/${name}`);
    copy[name] = watched(member, unread, `${path}/${name}`);
  }
  const get = (target: object, name: string | symbol): unknown => {
    unread.delete(`${path}/${String(name)}`);
    return Reflect.get(target, name);
  };
  return new Proxy(copy, { get });
}

/** What is wrong with a document by its schema: also members that the schema does not have. */
function problemsOf(document: object, isValid: ((data: unknown) => boolean) & { errors?: unknown }) {
  const unread = new Set<string>();
  if (!isValid(watched(document, unread))) return isValid.errors;
  return [...unread].map((path) => `${path} is unknown`);
}

it.each([
  ['ConfigMap', isConfigMap],
  ['Deployment', isDeployment],
  ['Service', isService],
  ['PodDisruptionBudget', isBudget],
] as const)('the manifest has a %s that fits the schema of Kubernetes', (kind, isValid) => {
  expect(problemsOf(of(kind), isValid)).toEqual([]);
  // A check that accepts anything would say nothing.
  expect(problemsOf({ ...of(kind), metadata: { name: 'a', label: {} } }, isValid)).toEqual([
    '/metadata/label is unknown',
  ]);
  expect(problemsOf({ ...of(kind), metadata: { name: 1 } }, isValid)).toMatchObject([{ keyword: 'type' }]);
});

it('the manifest selects its pods, by a port that they have', () => {
  expect(documents).toHaveLength(4);
  const { labels } = of('Deployment').spec.template.metadata;
  for (const selected of [of('Deployment').spec.selector.matchLabels, of('Service').spec.selector])
    expect(labels).toMatchObject(selected);
  expect(labels).toMatchObject(of('PodDisruptionBudget').spec.selector.matchLabels);
  expect(container?.ports).toEqual([{ name: 'http', containerPort: numberIn(container?.args, 'port') }]);
  expect(of('Service').spec.ports[0].targetPort).toBe('http');
});

it('the pod runs without rights, and has the time to drain', () => {
  expect(pod?.securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(container?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const preStop = container?.lifecycle?.preStop?.sleep?.seconds ?? 0;
  expect(preStop).toBeGreaterThan(0);
  const drains = numberIn(container?.args, 'drain-seconds');
  expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(preStop + drains + 1);
});

it('the config in the manifest is one, and the command takes its arguments', async () => {
  const config = JSON.parse(of('ConfigMap').data['ids.config.json']) as IdsConfig;
  const database = 'postgres://postgres/ids';
  expect([...planGenerators([segmentInproc], { ...config, database }).keys()]).toEqual(['order']);
  await expect(start(container?.args ?? [])).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  await expect(start([...(container?.args ?? []), '--drain=1'])).rejects.toMatchObject({
    code: 'commander.unknownOption',
  });
});

const unit = read('ids-server.service');
const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];

it('the unit gives the command arguments that it takes, and the time to drain', async () => {
  const [, , ...args] = command.split(' ');
  await expect(start(args)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  const [, stop] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
  expect(Number(stop)).toBeGreaterThan(numberIn(args, 'drain-seconds') + 1);
  // With as many connections as it accepts, it must still read the file of clients, and reach its database.
  const [, files] = /^LimitNOFILE=(\d+)$/m.exec(unit) ?? [];
  expect(Number(files)).toBeGreaterThan(10_000);
  // A start in the middle of a failover finds a standby, which ends it as a wrong config does.
  expect(unit).toMatch(/^RestartPreventExitStatus=2$/m);
  // A reload in the middle of a start ends it by a signal that systemd treats as a clean exit.
  expect(unit).toMatch(/^RestartForceExitStatus=SIGHUP$/m);
});

const tool = '/usr/bin/systemd-analyze';

it.skipIf(!existsSync(tool))('the unit is one for systemd (skipped without systemd-analyze)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ids-unit-'));
  /** What is wrong with it; the tool also reads the units of the machine that it needs. */
  const verify = (text: string) => {
    const file = join(folder, 'ids-server.service');
    writeFileSync(file, text.replace('/usr/bin/node', process.execPath));
    const { stderr } = spawnSync(tool, ['verify', file], { encoding: 'utf8' });
    return stderr.split('\n').filter((line) => line.includes('ids-server'));
  };
  try {
    expect(verify(unit)).toEqual([]);
    expect(verify(unit.replace('DynamicUser', 'DynamicUsr'))[0]).toMatch(/Unknown key.* 'DynamicUsr'/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
