import { startMariadbGroup, startPatroniCluster } from '@ids/local-services';
import { clusterStack } from './cluster.js';
import { sentinelStack } from './sentinel.js';
import { type Stack, stackOfDatabase } from './stack.js';

/** What a stack may be told. */
export interface StackOptions {
  readonly planned: boolean;
  readonly nodes?: number | undefined;
  readonly etcd?: 'v2' | 'v3' | undefined;
}

export interface StackKind {
  /** Whether it takes `nodes` and `etcd`. */
  readonly sized: boolean;
  start(options: StackOptions): Promise<Stack>;
}

/** By the name that `--stack` takes. */
export const STACKS: ReadonlyMap<string, StackKind> = new Map([
  ['patroni', patroni(false)],
  ['patroni-sync', patroni(true)],
  ['mariadb', fixed(async ({ planned }) => stackOfDatabase(await startMariadbGroup(), planned))],
  ['sentinel', fixed(({ planned }) => sentinelStack(planned))],
  ['cluster', fixed(clusterStack)],
]);

function fixed(start: StackKind['start']): StackKind {
  return { sized: false, start };
}

function patroni(synchronous: boolean): StackKind {
  return {
    sized: true,
    start: async ({ planned, nodes = 2, etcd = 'v2' }) =>
      stackOfDatabase(await startPatroniCluster({ nodes, etcd, synchronous }), planned),
  };
}
