import { isIdError } from '@ids/core';
import type { Logger } from 'pino';
import { Access } from '../access.js';
import { handlerWith } from '../handler.js';
import type { RequestReport } from '../request-report.js';
import { Tallies } from '../tally.js';
import { beside, page } from './beside.js';
import { readClients } from './clients-file.js';
import { followClients } from './followed-clients.js';
import { listen } from './listener.js';
import { forThisMachine } from './loopback.js';
import { Metrics } from './metrics.js';
import { type OpenServedOptions, openServed } from './open-served.js';
import { probesOf } from './probes.js';

export interface ServeOptions extends Omit<OpenServedOptions, 'logger'> {
  readonly host: string;
  readonly port: number;
  /** The file that says who may use the server. Without it, `host` must be a loopback address. */
  readonly clients?: string | undefined;
  /** Of web pages that may use the server. */
  readonly allowedOrigins: readonly string[];
  /** How long requests may still take once the process is asked to end, in milliseconds. */
  readonly drainMs: number;
  readonly log: Logger;
  /** For people. */
  readonly print: (line: string) => void;
}

/** A server that runs. */
export interface RunningServer {
  readonly url: string;
  /** Reads the file of clients again; absent without one. */
  readonly reload?: (() => Promise<void>) | undefined;
  /** Answers what was accepted, closes the generators, and resolves with whether all was in time. */
  stop(): Promise<boolean>;
}

/** Opens the generators of a config, and serves them. If that fails, rejects and leaves nothing open. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host, port, clients: file, allowedOrigins, drainMs, log, print } = options;
  const logger = {
    error: (line: string) => log.error(line),
    warn: (line: string) => log.warn(line),
    info: (line: string) => log.info(line),
    debug: (line: string) => log.debug(line),
  };
  const served = await openServed({ ...options, logger });
  try {
    const { generators } = served;
    const names = Object.keys(generators);
    const access = new Access(file === undefined ? undefined : await readClients(file, names));
    const tallies = new Tallies();
    const metrics = new Metrics(generators, tallies);
    const onRequest = (request: RequestReport): void => {
      metrics.note(request);
      report(log, request);
    };
    const handler = handlerWith({ generators, allowedOrigins, onRequest }, { access, tallies });
    const answering = beside(metrics.watching(handler), page, metrics.servedTo(access));
    const guarded = file === undefined ? forThisMachine(answering) : answering;
    const probed = beside(guarded, probesOf(generators));
    const listener = await listen(probed, { host, port });
    print(`serves ${names.join(', ')} at ${listener.url}/v1`);
    for (const [name, { generator, realm, lease }] of Object.entries(generators)) {
      const facts = [
        generator.strategy,
        ...(realm === undefined ? [] : [`realm ${realm}`]),
        ...(lease === undefined ? [] : ['leases ranges']),
      ];
      print(`  ${name}: ${facts.join(', ')}`);
    }
    const followed = file === undefined ? undefined : followClients({ file, generators: names, access, log });
    return {
      url: listener.url,
      reload: followed?.reload,
      async stop() {
        followed?.stop();
        log.info({ drainMs }, 'draining');
        const inTime = await listener.drain(drainMs, () => served.close());
        await served.close();
        log.info({ inTime }, 'ended');
        return inTime;
      },
    };
  } catch (error) {
    await served.close();
    throw error;
  }
}

function report(log: Logger, request: RequestReport): void {
  const { method, path, status, tookMs, client, ids, errors } = request;
  const failures = errors.length === 0 ? undefined : errors.map(failureOf);
  const fields = { method, path, status, tookMs, client, ids, failures };
  if (status >= 500) log.warn(fields, 'request');
  else log.info(fields, 'request');
}

function failureOf(error: unknown) {
  return {
    ...(isIdError(error) && { code: error.code }),
    message: error instanceof Error ? error.message : String(error),
  };
}
