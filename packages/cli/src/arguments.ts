import { unknownName } from '@ids/core/strategy';
import { type ArgDef, type ArgsDef, parseArgs } from 'citty';
import { UsageError } from './exit-code.js';

/** Flags that every command has. */
export const commonFlags = {
  cwd: { type: 'string', valueHint: 'dir', description: 'folder of ids.config.* (this one)' },
  strategies: {
    type: 'string',
    valueHint: 'module',
    description: 'module that exports the strategies (the family)',
  },
  json: { type: 'boolean', description: 'print JSON and nothing else on standard output' },
  help: { type: 'boolean', alias: 'h', description: 'print this' },
} as const satisfies ArgsDef;

/** `argv` by what `flags` say. Throws a `UsageError` for whatever is not understood: nothing is ignored. */
export function parseFlags<const Flags extends ArgsDef>(argv: readonly string[], flags: Flags) {
  const named = Object.entries(flags).filter(([, { type }]) => type !== 'positional');
  const known = named.flatMap(([name, flag]) => [`--${name}`, ...aliasesOf(flag)]);
  const dashed = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  for (const argument of dashed.filter((text) => /^-./.test(text))) {
    const [option = argument] = argument.split('=', 1);
    if (/^-\d/.test(option)) throw new UsageError(`a number must be 0 or more, got "${argument}"`);
    if (!known.includes(option)) throw new UsageError(unknownName('option', option, known));
  }
  try {
    const parsed = parseArgs<Flags>([...argv], flags);
    const places = Object.values(flags).filter(({ type }) => type === 'positional').length;
    const stray = parsed._[places];
    if (stray !== undefined) throw new UsageError(`unexpected argument "${stray}"`);
    return parsed;
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

function aliasesOf(flag: ArgDef): string[] {
  const alias = 'alias' in flag ? (flag.alias ?? []) : [];
  return [alias].flat().map((name) => (name.length === 1 ? `-${name}` : `--${name}`));
}

/** A whole number within bounds, both inclusive. */
export function wholeNumber(option: string, text: string, low: number, high: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < low || number > high) {
    throw new UsageError(`${option} must be a whole number from ${low} to ${high}, got "${text}"`);
  }
  return number;
}
