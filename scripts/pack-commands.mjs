// The command `ids` as the pages and its own messages write it, through the npx of the oldest Node.js that is
// supported, and that of this machine.
import { equal, match } from 'node:assert/strict';
import { exec } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** What comes with Node.js 20.19. */
export const OLDEST_NPM = { 'npm-oldest': 'npm:npm@10.8.2' };

/** Throws when one does something else than the page says. Returns how many ran. */
export async function checkCommands(project) {
  const npx = ['npx', `node ${join(project, 'node_modules/npm-oldest/bin/npx-cli.js')}`];
  const counts = await Promise.all(npx.map((command, index) => walk(project, command, `commands-${index}`)));
  const ran = counts.reduce((sum, count) => sum + count);
  console.log(`commands by npx, of this machine and ${OLDEST_NPM['npm-oldest']}: ${ran}`);
  return ran;
}

async function walk(project, npx, folder) {
  mkdirSync(join(project, folder));
  let ran = 0;
  const ids = (written) => {
    ran++;
    return run(written.replace('npx', npx), project);
  };
  match((await ids('npx --no -- ids --help')).stdout, /^Usage: ids /);
  // Options before the command and after it; then what a message says to type.
  const { stdout: next } = await ids(`npx --no -- ids --cwd ${folder} init --strategy objectid`);
  match(next, /^then: npx --no -- ids next order$/m);
  const { stdout: json } = await ids(`npx --no -- ids --json next order -n 2 --cwd ${folder}`);
  equal(JSON.parse(json).length, 2);
  const { code, stderr } = await ids('npx --no -- ids --json nxt');
  equal(code, 2);
  const [, advice] = /^ids: (npx .*) shows the options$/m.exec(stderr) ?? [];
  match((await ids(advice)).stdout, /^Usage: ids /);
  return ran;
}

/** By a shell, as a user types it. */
function run(command, cwd) {
  return new Promise((resolve) => {
    exec(command, { cwd }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });
}
