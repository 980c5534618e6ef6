import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** Below this package, so that the generated client finds the packages it imports. */
const scratch = fileURLToPath(new URL('../../dist/prisma/', import.meta.url));

/** Generates the client of a schema of the recipes, for a provider. `remove` removes it. */
export async function generatePrismaClient<Client>(
  path: string,
  provider = 'postgresql',
): Promise<{ readonly PrismaClient: Client; remove(): Promise<void> }> {
  await mkdir(scratch, { recursive: true });
  const folder = await mkdtemp(scratch);
  const schema = join(folder, 'schema.prisma');
  const text = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
  await writeFile(schema, text.replace('provider = "postgresql"', `provider = "${provider}"`));
  const command = createRequire(import.meta.url).resolve('prisma/build/index.js');
  // Generating needs no engine, but looks for one and would download it: any file will do.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
  await promisify(execFile)(process.execPath, [command, 'generate', '--schema', schema], {
    cwd: folder,
    env,
  });
  const { PrismaClient } = await import(pathToFileURL(join(folder, 'client', 'client.ts')).href);
  return { PrismaClient, remove: () => rm(folder, { recursive: true, force: true }) };
}
