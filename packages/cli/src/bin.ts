#!/usr/bin/env node
import { family, mainEntries } from './family.js';
import { idsCommand } from './ids-command.js';
import { provenanceOf } from './provenance.js';

// `ids next -n 1000000 | head` closes the pipe: whoever reads has enough, so that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// The exit code is set, not forced: what is written to a pipe must get there.
process.exitCode = await idsCommand(process.argv.slice(2), {
  strategies: family,
  serviceStrategies: mainEntries,
  cwd: process.cwd(),
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  whoIssued: provenanceOf,
});
