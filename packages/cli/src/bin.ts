#!/usr/bin/env node
import { family, mainEntries } from './built-in.js';
import { idsCommand } from './ids-command.js';

// `ids next -n 1000000 | head` closes the pipe because the reader has enough: not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Sets the exit code rather than exit, so that output to a pipe is complete.
process.exitCode = await idsCommand(process.argv.slice(2), {
  strategies: family,
  serviceStrategies: mainEntries,
  cwd: process.cwd(),
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
});
