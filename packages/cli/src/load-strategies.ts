import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { IdStrategy } from '@ids/core';
import { UsageError } from './exit-code.js';

/**
 * The strategies that a module of the service exports, one by one or in lists, in the order of its exports.
 */
export async function loadStrategies(cwd: string, file: string): Promise<readonly IdStrategy[]> {
  const module: object = await import(pathToFileURL(resolve(cwd, file)).href).catch((cause: unknown) => {
    const [why] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new UsageError(`--strategies: "${file}" cannot be loaded: ${why}`);
  });
  const found = [...new Set(Object.values(module).flat())].filter(isStrategy);
  if (found.length > 0) return found;
  throw new UsageError(
    `--strategies: "${file}" exports no strategy; it must export a list, such as export const strategies = [objectid]`,
  );
}

function isStrategy(value: unknown): value is IdStrategy {
  const { name, options, optionNames, guarantees, create } = Object(value) as Partial<IdStrategy>;
  const functions = [guarantees, create].every((member) => typeof member === 'function');
  return typeof name === 'string' && typeof options === 'object' && Array.isArray(optionNames) && functions;
}
