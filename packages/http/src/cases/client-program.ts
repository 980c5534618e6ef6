import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Json } from './case-files.js';

/** A client of ids that does what it is told. */
export interface ClientProgram {
  /** Does what the message says, and says what came of it. */
  ask(message: Json): Promise<Json>;
}

/** A client in a process of its own: a line of JSON on its stdin, and then one on its stdout. */
export interface ClientProcess extends ClientProgram, AsyncDisposable {}

/** Rejects nothing: a program that ends, or replies with no JSON, fails the call it was asked for. */
export function startClientProgram([command = '', ...args]: readonly string[]): ClientProcess {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`${command} does not start: ${error.message}`);
  });
  failed.catch(() => undefined);
  // A program that has ended cannot be written to; the call says that it ended.
  child.stdin.on('error', () => undefined);
  return {
    async ask(message) {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      const { done, value } = await Promise.race([lines.next(), failed]);
      if (done) throw new Error(`the program ended after ${JSON.stringify(message)}`);
      return JSON.parse(value) as Json;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.pid !== undefined && child.exitCode === null) await once(child, 'close');
    },
  };
}
