// The Job of docs/deployment.md: its command with its environment, in the folder of an application that has
// the packages as dependencies, against a Postgres without tables. Twice, as Kubernetes may run it.
import { match } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { startPostgres } from '../packages/local-services/dist/index.js';

/** Throws when the command does not create the table. Returns how often it ran. */
export async function checkJob(root, project) {
  const page = readFileSync(join(root, 'docs/deployment.md'), 'utf8');
  const manifests = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => parse(text));
  const { command, env } = manifests.find(({ kind }) => kind === 'Job').spec.template.spec.containers[0];
  const secrets = join(project, 'secrets');
  mkdirSync(secrets);
  const postgres = await startPostgres();
  writeFileSync(join(secrets, 'redis-url'), 'redis://redis.example');
  writeFileSync(join(secrets, 'owner-url'), postgres.url);
  const config = join(project, 'ids.config.json');
  const job = { strategy: 'segment-redis-db', name: 'job' };
  writeFileSync(config, JSON.stringify({ generators: { job } }));
  const mounted = env.map(({ name, value }) => [name, join(secrets, basename(value))]);
  const environment = { PATH: process.env.PATH, ...Object.fromEntries(mounted) };
  const [executable, ...args] = command;
  const run = async () =>
    (await promisify(execFile)(join(project, executable), args, { cwd: project, env: environment })).stdout;
  try {
    match(await run(), /sequence job/);
    match(await run(), /nothing to create/);
  } finally {
    rmSync(config);
    await postgres.close();
  }
  console.log('the Job of docs/deployment.md creates what is missing, once');
  return 2;
}
