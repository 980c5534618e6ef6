// `pnpm bench`: builds the bench, and runs it. Its help needs no build: in a fresh clone it is there at once.
import { spawnSync } from 'node:child_process';
import { tsImport } from 'tsx/esm/api';

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  const { benchProgram } = await tsImport('../apps/bench/src/cli/flags.ts', import.meta.url);
  benchProgram().outputHelp();
} else {
  const build = ['--silent', 'run', 'prepare:dist', '--filter=@ids/bench'];
  const { status } = spawnSync('pnpm', build, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  await import('../apps/bench/dist/main.js');
}
