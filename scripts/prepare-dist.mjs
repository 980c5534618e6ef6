// `pnpm prepare:dist`: builds what changed since the last build, of all packages or of those that arguments
// of turbo select. Says nothing if that takes a moment, one line if it takes longer, and all if it fails.
// With `IDS_BUILT=1`, does nothing: `.ci/run` and `pnpm nightly` have built, and test what could be built.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

if (process.env.IDS_BUILT === '1') process.exit();
const build = ['run', 'build', '--output-logs=errors-only', '--log-prefix=none', ...process.argv.slice(2)];
const turbo = spawn('turbo', build, { stdio: ['ignore', 'pipe', 'pipe'] });
const said = [];
for (const output of [turbo.stdout, turbo.stderr]) output.on('data', (chunk) => said.push(chunk));
const notice = setTimeout(() => console.error('building: half a minute the first time'), 1_000);
const [code] = await once(turbo, 'close');
clearTimeout(notice);
if (code !== 0) process.stderr.write(Buffer.concat(said));
process.exitCode = code ?? 1;
