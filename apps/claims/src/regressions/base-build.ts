import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { UsageError } from '@ids/bench/command';

const run = promisify(execFile);

/** An earlier commit of this repository, built in a folder of its own. */
export interface BaseBuild extends AsyncDisposable {
  readonly commit: string;
  /** The module that exports its `cases`. */
  readonly casesUrl: string;
}

/**
 * Checks out the commit at which this branch left `ref`, which is `ref` itself where it is an ancestor, and
 * builds it. Disposing of it removes the folder.
 */
export async function buildBase(
  ref: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<BaseBuild> {
  const git = async (...args: string[]) => (await run('git', args, { signal })).stdout.trim();
  const commit = await git('merge-base', 'HEAD', ref).catch((error: Error) => {
    throw new UsageError(`--base must be a commit, branch or tag, got "${ref}"\n${error.message}`);
  });
  const folder = await mkdtemp(join(tmpdir(), 'ids-base-'));
  const remove = async () => {
    await run('git', ['worktree', 'remove', '--force', folder]).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  };
  try {
    say(`building ${commit.slice(0, 7)}, the latest commit that is in both HEAD and ${ref}`);
    await git('worktree', 'add', '--detach', folder, commit);
    const { packageManager } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const pnpm = (...args: string[]) =>
      run('npx', ['--yes', packageManager, ...args], { cwd: folder, signal, maxBuffer: 1e8 });
    await pnpm('install', '--frozen-lockfile', '--prefer-offline');
    await pnpm('run', 'prepare:dist', '--filter=@ids/bench');
    const cases = join(folder, 'apps/bench/dist/cases/strategies.js');
    if (!existsSync(cases))
      throw new UsageError(`${commit} has no bench to compare with: choose a later --base`);
    return { commit, casesUrl: pathToFileURL(cases).href, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
