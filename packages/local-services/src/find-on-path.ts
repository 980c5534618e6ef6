import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The absolute path of an executable file on PATH. */
export function findOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).find(isExecutableFile);
}

export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
