import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** An instance of the function of the recipe: a process that runs its handler, one invocation at a time. */
export class LambdaInstance implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  /** `cwd`: the folder of its config. */
  constructor(cwd: string) {
    this.#child = fork(fileURLToPath(new URL('./lambda-runtime.ts', import.meta.url)), {
      cwd,
      execArgv: ['--import', import.meta.resolve('tsx')],
    });
    this.#exited = once(this.#child, 'exit');
  }

  /** The ids that so many invocations return, one after the other. */
  async invoke(count: number): Promise<string[]> {
    this.#child.send(count);
    const [ids] = await Promise.race([
      once(this.#child, 'message'),
      this.#exited.then(() => Promise.reject(new Error('the instance ended'))),
    ]);
    return ids;
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
