#!/usr/bin/env node
import { CommanderError } from '@commander-js/extra-typings';
import { secretHider } from '@ids/config';
import { type IdStrategy, isIdError } from '@ids/core';
import { gpid } from '@ids/gpid';
import { http } from '@ids/http';
import { objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { snowflake } from '@ids/snowflake';
import { uuid7 } from '@ids/uuid7';
import { startServer } from './process/server-command.js';

/** The strategies that the config of the process can name. */
const BUILT_IN: readonly IdStrategy[] = [
  objectid,
  uuid7,
  gpid,
  segmentInproc,
  segmentRedisDb,
  snowflake,
  http,
] as readonly IdStrategy[];

/** The exit codes: those of the command `ids`. */
const EXIT = { failed: 1, usage: 2, config: 3 } as const;

const { env } = process;
const hide = secretHider({ redis: env.IDS_REDIS_URL, database: env.IDS_DATABASE_URL });

try {
  const server = await startServer(process.argv.slice(2), {
    strategies: BUILT_IN,
    cwd: process.cwd(),
    environment: env,
    print: (text) => process.stdout.write(text),
    printError: (text) => process.stderr.write(text),
  });
  if (server !== undefined) {
    let asked = false;
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      // Whoever asks twice does not want to wait.
      if (asked) process.exit(signal === 'SIGINT' ? 130 : 143);
      asked = true;
      process.exit((await server.stop()) ? 0 : EXIT.failed);
    };
    process.on('SIGTERM', end).on('SIGINT', end);
    if (server.reload !== undefined) process.on('SIGHUP', server.reload);
  }
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage;
  else if (isIdError(error) && ['ERR_IDS_CONFIG', 'ERR_IDS_UNMET'].includes(error.code))
    process.exitCode = EXIT.config;
  else process.exitCode = EXIT.failed;
  // commander has printed its own errors, except for those that an action throws.
  const printed = error instanceof CommanderError && error.code !== 'commander.invalidArgument';
  const text = error instanceof Error ? error.message || error.name : String(error);
  if (!printed) for (const line of hide(text).split('\n')) process.stderr.write(`ids-server: ${line}\n`);
}
