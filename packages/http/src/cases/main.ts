#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { checkClient } from './check-client.js';
import { checkServer } from './check-server.js';
import { startClientProgram } from './client-program.js';

const USAGE = `Checks a client or a server of ids against the cases of @ids/http:
  npx @ids/http check-client -- <command> [argument...]   a program that is told what to do on its stdin
  npx @ids/http check-server <url>                        a server with the generators of the cases`;

const { positionals } = parseArgs({ allowPositionals: true });
const [what, ...rest] = positionals;
if (rest.length === 0 || (what !== 'check-client' && what !== 'check-server')) {
  console.error(USAGE);
  process.exit(2);
}

const results = what === 'check-client' ? await ofClient() : await checkServer(String(rest[0]));
for (const { title, unsupported, problems } of results) {
  console.log(`${problems.length > 0 ? 'FAILED' : unsupported ? 'unsupported' : 'ok'}: ${title}`);
  for (const problem of problems) console.log(`  ${problem}`);
}
const failed = results.filter(({ problems }) => problems.length > 0).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function ofClient() {
  await using program = startClientProgram(rest);
  return await checkClient(program);
}
