import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchResult } from '../../src/schema/run.js';

export const REAL = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
export const PLANTED = fileURLToPath(new URL('../planted/bench.mjs', import.meta.url));

/** A bench in a process of its own, with folders of its own. */
export class RunningBench implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly #dir: string;
  readonly #ended: Promise<number | null>;
  stdout = '';
  stderr = '';

  private constructor(dir: string, entry: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#dir = dir;
    this.child = spawn(process.execPath, [entry, ...args, '--out', join(dir, 'report')], {
      env: { ...process.env, TMPDIR: join(dir, 'tmp'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (data) => {
      this.stdout += data;
    });
    this.child.stderr?.on('data', (data) => {
      this.stderr += data;
    });
    this.#ended = once(this.child, 'close').then(([code]) => code);
  }

  static start(entry: string, ...args: readonly string[]): Promise<RunningBench> {
    return RunningBench.startWith({}, entry, ...args);
  }

  static async startWith(
    env: NodeJS.ProcessEnv,
    entry: string,
    ...args: readonly string[]
  ): Promise<RunningBench> {
    const dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
    await mkdir(join(dir, 'tmp'));
    return new RunningBench(dir, entry, args, env);
  }

  /** Resolves once `text` was printed to standard error; rejects when the bench ends before. */
  async printed(text: string): Promise<void> {
    const ended = this.#ended.then(() => {
      throw new Error(`the bench ended before it printed "${text}":\n${this.stderr}`);
    });
    ended.catch(() => {});
    while (!this.stderr.includes(text)) {
      await Promise.race([once(this.child.stderr ?? this.child, 'data'), ended]);
    }
  }

  /** Resolves with the exit code; `null` after a signal. */
  exitCode(): Promise<number | null> {
    return this.#ended;
  }

  /** Of a file of the report. */
  path(name: string): string {
    return join(this.#dir, 'report', name);
  }

  async result(): Promise<BenchResult> {
    return JSON.parse(await readFile(this.path('result.json'), 'utf8'));
  }

  page(): Promise<string> {
    return readFile(this.path('index.html'), 'utf8');
  }

  /** What it left in the folder for temporary files. */
  leftovers(): Promise<string[]> {
    return readdir(join(this.#dir, 'tmp'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.#ended;
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
