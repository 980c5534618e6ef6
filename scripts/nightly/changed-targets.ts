// Prints the targets of the mutation tests that a commit of the last two days touched, a line each.
import { execFileSync } from 'node:child_process';
import { TARGETS } from '../mutation/targets.js';

for (const [name, { folder }] of Object.entries(TARGETS)) {
  const since = ['log', '--since=2 days ago', '--format=%h', '--', `${folder}/src`, `${folder}/test`];
  if (execFileSync('git', since, { encoding: 'utf8' }) !== '') console.log(name);
}
