import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with an `ids.config.json`, as a deployment has one. */
export interface ConfigFolder extends AsyncDisposable {
  readonly cwd: string;
  /** Replaces the file; who runs already does not notice. */
  write(config: object): Promise<void>;
}

export async function configFolder(config: object): Promise<ConfigFolder> {
  const cwd = await mkdtemp(join(tmpdir(), 'ids-examples-'));
  const write = (next: object): Promise<void> =>
    writeFile(join(cwd, 'ids.config.json'), JSON.stringify(next));
  await write(config);
  return { cwd, write, [Symbol.asyncDispose]: () => rm(cwd, { recursive: true, force: true }) };
}
