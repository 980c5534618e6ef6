import type { Random } from '../random.js';

/** The values in `INFO` that scripts read. */
export interface InfoFields {
  readonly role: 'master' | 'slave';
  readonly replid: string;
  readonly replid2: string;
  readonly offset: number;
  readonly secondOffset: number;
  readonly runId: string;
  readonly commands: number;
  /** Microseconds of CPU time since the process started. */
  readonly cpuUserUs: number;
  readonly cpuSysUs: number;
  readonly clusterEnabled: boolean;
}

export interface ServerInfo {
  /** The named sections, or all of them if none is named. */
  text(sections: readonly string[]): string;
}

/** The sections of `INFO`, built from what `read` returns at the time of the call. */
export function serverInfo(read: () => InfoFields): ServerInfo {
  return {
    text: (names) => {
      const fields = read();
      const wanted = names.map((name) => name.toLowerCase());
      const all = wanted.length === 0 || wanted.some((name) => /^(all|default|everything)$/.test(name));
      return SECTIONS.filter(({ name }) => all || wanted.includes(name.toLowerCase()))
        .map(({ name, lines }) => `# ${name}\r\n${lines(fields).join('\r\n')}\r\n`)
        .join('\r\n');
    },
  };
}

interface Section {
  readonly name: string;
  readonly lines: (fields: InfoFields) => string[];
}

const SECTIONS: readonly Section[] = [
  {
    name: 'Server',
    lines: ({ runId, clusterEnabled }) => [
      'redis_version:7.0.15',
      `redis_mode:${clusterEnabled ? 'cluster' : 'standalone'}`,
      `run_id:${runId}`,
    ],
  },
  { name: 'Stats', lines: ({ commands }) => [`total_commands_processed:${commands}`] },
  {
    name: 'Replication',
    lines: ({ role, replid, replid2, offset, secondOffset }) => [
      `role:${role}`,
      `master_replid:${replid}`,
      `master_replid2:${replid2}`,
      `master_repl_offset:${offset}`,
      `second_repl_offset:${secondOffset}`,
    ],
  },
  {
    name: 'CPU',
    lines: ({ cpuSysUs, cpuUserUs }) => [
      `used_cpu_sys:${seconds(cpuSysUs)}`,
      `used_cpu_user:${seconds(cpuUserUs)}`,
    ],
  },
  { name: 'Cluster', lines: ({ clusterEnabled }) => [`cluster_enabled:${clusterEnabled ? 1 : 0}`] },
];

function seconds(microseconds: number): string {
  const whole = Math.floor(microseconds);
  return `${Math.floor(whole / 1e6)}.${String(whole % 1e6).padStart(6, '0')}`;
}

/** What a Redis process has done so far: the number of commands and their CPU time. */
export class ProcessLoad {
  readonly #random: Random;
  /** The resolution of the CPU time, in microseconds. */
  readonly #tickUs: number;
  #commands = 0;
  #cpuUs: number;

  constructor(random: Random, tickUs: number) {
    this.#random = random;
    this.#tickUs = tickUs;
    this.#cpuUs = random.between(2_000, 20_000);
  }

  get commands(): number {
    return this.#commands;
  }

  /** Call it after each command. */
  count(): void {
    this.#commands++;
    this.#cpuUs += this.#random.between(1, 30);
  }

  /** The given share of the CPU time in microseconds, as the kernel counts it. */
  cpuUs(share: number): number {
    return Math.floor((this.#cpuUs * share) / this.#tickUs) * this.#tickUs;
  }
}
