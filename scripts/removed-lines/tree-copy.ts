import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import type { RemovedLine } from './removed-line.js';

const run = promisify(execFile);

/** Folders and files of the workspace that are not needed for its tests. */
const LEFT_OUT = new Set(['.git', '.mutation', '.turbo', '.vite-temp', 'coverage']);

/** What is used of `@ids/local-services`, which is no dependency of the scripts. */
interface LocalServices {
  startLocalServices(): Promise<{ redisUrl: string; databaseUrl: string; close(): Promise<void> }>;
  startMariadb(): Promise<{ url: string; close(): Promise<void> }>;
}

/** A copy of the built workspace, in which lines are removed; the workspace itself is never changed. */
export class TreeCopy implements AsyncDisposable {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async of(workspace: string): Promise<TreeCopy> {
    const root = await mkdtemp(join(tmpdir(), 'ids-removed-'));
    const modules = join(workspace, 'node_modules');
    const filter = (path: string): boolean => path !== modules && !LEFT_OUT.has(basename(path));
    // The links of packages to each other are relative, so they stay inside the copy.
    await cp(workspace, root, { recursive: true, verbatimSymlinks: true, filter });
    await symlink(modules, join(root, 'node_modules'));
    return new TreeCopy(root);
  }

  /** Runs `use` while the line is removed, from the source and from what was built of it. */
  async without<T>({ file, from, to }: RemovedLine, use: () => Promise<T>): Promise<T> {
    const text = await readFile(join(this.root, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} must contain once: ${from}`);
    await this.#write(
      file,
      text.replace(from, () => to),
    );
    try {
      return await use();
    } finally {
      await this.#write(file, text);
    }
  }

  /**
   * Starts Redis, Postgres and MariaDB for the tests of all lines, since starting them takes longer than most
   * tests. Resolves with the variables that lead the tests there.
   */
  async startServers(): Promise<{ readonly env: NodeJS.ProcessEnv } & AsyncDisposable> {
    const path = pathToFileURL(join(this.root, 'packages/local-services/dist/index.js')).href;
    const { startLocalServices, startMariadb }: LocalServices = await import(path);
    const services = await startLocalServices();
    const mariadb = await startMariadb();
    return {
      env: { REDIS_URL: services.redisUrl, DATABASE_URL: services.databaseUrl, MYSQL_URL: mariadb.url },
      async [Symbol.asyncDispose]() {
        await Promise.all([services.close(), mariadb.close()]);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  async #write(file: string, text: string): Promise<void> {
    await writeFile(join(this.root, file), text);
    const [folder = '', path = ''] = file.split('/src/');
    if (!path.endsWith('.lua')) return this.#build(folder, path);
    await run(process.execPath, ['scripts/embed-lua.mjs'], { cwd: join(this.root, folder) });
    await this.#build(folder, 'scripts.generated.ts');
  }

  /** One module, without its types: a removed line may leave a variable unused. */
  async #build(folder: string, path: string): Promise<void> {
    const source = await readFile(join(this.root, folder, 'src', path), 'utf8');
    const { code } = await transform(source, { loader: 'ts', target: 'es2023', sourcefile: path });
    await writeFile(join(this.root, folder, 'dist', path.replace(/ts$/, 'js')), code);
  }
}
