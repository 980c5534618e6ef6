#!/usr/bin/env node
import { family, mainEntries } from './built-in.js';
import { idsCommand } from './ids-command.js';

// `ids next -n 1000000 | head` closes the pipe because the reader has enough: not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const code = await idsCommand(process.argv.slice(2), {
  strategies: family,
  serviceStrategies: mainEntries,
  cwd: process.cwd(),
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
});

// A config in code may hold clients and pools, which stay its own to close and would keep this process alive.
// Output to a pipe is complete only when the last write has been called back, also if nobody reads it.
const written = [process.stdout, process.stderr].map(
  (stream) => new Promise((resolve) => stream.write('', resolve)),
);
await Promise.all(written);
process.exit(code);
