import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { Environment } from '@ids/config';
import type { IdStrategy } from '@ids/core';
import { pino } from 'pino';
import { isOrigin } from '../origins.js';
import { logStream } from './log-stream.js';
import { isLoopback } from './loopback.js';
import { type RunningServer, serve } from './serve.js';

const { version: VERSION }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

/** What the command works with. */
export interface CommandContext {
  readonly strategies: readonly IdStrategy[];
  readonly cwd: string;
  readonly environment: Environment;
  /** For people. */
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/**
 * Parses a command line and starts the server; `undefined` if help or the version was asked for. Rejects with
 * a `CommanderError` for a wrong command line, and with an `IdError` for a wrong config.
 */
export async function startServer(
  argv: readonly string[],
  { strategies, cwd, environment, print, printError }: CommandContext,
): Promise<RunningServer | undefined> {
  let running: RunningServer | undefined;
  const command = new Command('ids-server')
    .description('Serve the generators of a config file over HTTP')
    .option('--config <file>', 'the config file (default: the ids.config.* in the current folder)')
    .option('--port <port>', 'the port, 0 for a free one', wholeNumber(0, 65_535), 8080)
    .option('--clients <file>', 'JSON file that says who may use the server (default: this machine alone)')
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option(
      '--realm <name=text>',
      'what identifies the store of a generator that does not say it',
      realm,
      new Map(),
    )
    .option(
      '--cors <origin>',
      'of web pages that may use the server, such as https://example.com',
      origin,
      [],
    )
    .option('--drain-seconds <n>', 'how long requests may take after SIGTERM', wholeNumber(0, 3_600), 10)
    .addOption(new Option('--log-level <level>', 'of the log on stderr').choices(LOG_LEVELS).default('info'))
    .helpOption('-h, --help', 'print this help')
    .version(VERSION, '-V, --version', 'print the version of @ids/server')
    .configureOutput({ writeOut: print, writeErr: printError })
    .exitOverride()
    .action(async ({ config, clients, port, host, realm: realms, cors, drainSeconds, logLevel: level }) => {
      if (clients === undefined) assertLoopback(host);
      running = await serve({
        strategies,
        file: config,
        cwd,
        environment,
        realms,
        clients: clients && resolve(cwd, clients),
        host,
        port,
        allowedOrigins: cors,
        drainMs: drainSeconds * 1_000,
        log: pino({ level, base: null }, logStream(process.stderr.fd)),
        print: (line) => print(`${line}\n`),
      });
    });
  await command.parseAsync(argv, { from: 'user' });
  return running;
}

function wholeNumber(low: number, high: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= low && number <= high) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
  };
}

/** `order=production`, once for each generator. */
function realm(text: string, before: Map<string, string>): Map<string, string> {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be <name of a generator>=<text>.');
  return new Map(before).set(name, value);
}

/** Once for each origin. */
function origin(text: string, before: readonly string[]): readonly string[] {
  if (isOrigin(text)) return [...before, text];
  throw new InvalidArgumentError(
    'It must be a scheme, a host and perhaps a port, such as https://example.com.',
  );
}

/** Anybody who reaches the server can use it, so it must be reached from this machine only. */
function assertLoopback(host: string): void {
  if (isLoopback(host)) return;
  throw new InvalidArgumentError(
    `--host: without --clients, must be a loopback address (127.0.0.1, ::1 or localhost), got "${host}"; ` +
      'give a file with the clients, so that nobody else can use the server',
  );
}
