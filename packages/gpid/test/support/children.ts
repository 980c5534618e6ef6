import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A child process that speaks in lines. */
export interface Child extends AsyncDisposable {
  readonly process: ChildProcess;
  /** The next line it writes; rejects when it ends instead, with what it wrote to stderr. */
  line(): Promise<string>;
  send(line: string): void;
  /** Ends it with SIGKILL and waits until it is gone. */
  kill(): Promise<void>;
}

export function startChild(command: string, args: readonly string[], options: SpawnOptions = {}): Child {
  const child = spawn(command, args, { ...options, stdio: 'pipe' });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await exited;
  }
  return {
    process: child,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${command} ended: ${complaints}`);
      return value;
    },
    send: (line) => child.stdin.write(`${line}\n`),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

/** A Node.js process that runs this TypeScript file. */
export function startScript(script: URL, args: readonly string[] = []): Child {
  return startChild(process.execPath, scriptArguments(script, args));
}

export function scriptArguments(script: URL, args: readonly string[] = []): string[] {
  return ['--import', import.meta.resolve('tsx'), script.pathname, ...args];
}
