import type { PipelineLike, RedisLike } from '../../src/index.js';
import * as keyed from '../../src/keyed/scripts.generated.js';
import * as scripts from '../../src/scripts.generated.js';

const { take, collect, install, release } = scripts;
const SCRIPTS = {
  ...{ take, collect, install, release },
  ...{ takeOfKeys: keyed.take, installOfKeys: keyed.install },
};

type ScriptName = keyof typeof SCRIPTS;

/** A command that ran, and whose reply the client will never see. */
export interface LostReply {
  /** Resolves when the command has run for the first time. */
  readonly ran: Promise<void>;
  /** Sends the command again; its caller gets the reply of this second run. */
  resend(): Promise<void>;
}

/**
 * A client whose connection breaks after a command ran and before its reply came, so that it sends the
 * command again, as ioredis does when it has connected again. The test decides which command that is, and
 * what happens between the two runs.
 */
export class ResendingClient implements RedisLike {
  readonly #client: RedisLike;
  readonly #armed = new Map<ScriptName, (run: () => Promise<unknown>) => Promise<unknown>>();

  /** Commands that were sent and not answered yet. */
  readonly #sent = new Set<Promise<unknown>>();
  #stalled: Promise<void> | undefined;

  constructor(client: RedisLike) {
    this.#client = client;
  }

  /** The next run of this script loses its reply. */
  loseReplyOf(script: ScriptName): LostReply {
    const ran = deferred();
    const asked = deferred();
    const answered = deferred();
    this.#armed.set(script, async (run) => {
      await run();
      ran.resolve();
      await asked.promise;
      try {
        return await run();
      } finally {
        answered.resolve();
      }
    });
    const resend = (): Promise<void> => {
      asked.resolve();
      return answered.promise;
    };
    return { ran: ran.promise, resend };
  }

  evalsha(sha1: string, ...rest: [number, ...(string | number)[]]): Promise<unknown> {
    // As text at once: a script that the server does not know would be no run.
    return this.eval(textOf(sha1), ...rest);
  }

  eval(text: string, ...rest: [number, ...(string | number)[]]): Promise<unknown> {
    return this.#run(text, () => this.#client.eval(text, ...rest));
  }

  pipeline(): PipelineLike {
    const texts: string[] = [];
    const calls: ((pipeline: PipelineLike) => PipelineLike)[] = [];
    const and = (call: (pipeline: PipelineLike) => PipelineLike): PipelineLike => {
      calls.push(call);
      return pipeline;
    };
    const pipeline: PipelineLike = {
      evalsha: (sha1, ...rest) => pipeline.eval(textOf(sha1), ...rest),
      eval: (text, ...rest) => {
        texts.push(text);
        return and((to) => to.eval(text, ...rest));
      },
      wait: (...args) => and((to) => to.wait(...args)),
      exec: () => {
        const run = () => calls.reduce((to, call) => call(to), this.#client.pipeline()).exec();
        return this.#run(texts[0] ?? '', run) as ReturnType<PipelineLike['exec']>;
      },
    };
    return pipeline;
  }

  /**
   * Commands from now on arrive when the returned function is called: this connection is slower than those of
   * others. Resolves when those that were sent before are answered, so that none of them arrives in between.
   * A command whose reply was lost is sent again at any time.
   */
  async stall(): Promise<() => void> {
    const { promise, resolve } = deferred();
    this.#stalled = promise;
    await Promise.allSettled(this.#sent);
    return resolve;
  }

  async #run(text: string, send: () => Promise<unknown>): Promise<unknown> {
    if (this.#stalled !== undefined) await this.#stalled;
    const run = async () => {
      const answer = send();
      this.#sent.add(answer);
      try {
        return await answer;
      } finally {
        this.#sent.delete(answer);
      }
    };
    for (const [name, lose] of this.#armed) {
      if (SCRIPTS[name].text !== text) continue;
      this.#armed.delete(name);
      return lose(run);
    }
    return run();
  }
}

function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function textOf(sha1: string): string {
  const script = [...Object.values(scripts), ...Object.values(keyed)].find((one) => one.sha1 === sha1);
  if (script === undefined) throw new Error(`no script of this package has the SHA-1 ${sha1}`);
  return script.text;
}
