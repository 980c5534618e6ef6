import {
  type ConfiguredGenerator,
  type ConfigWarning,
  type PlannedSeries,
  planSeries,
  type ReadConfig,
  readConfig,
  type Setting,
  secretHider,
  shownSetting,
} from '@ids/config';
import { type IdStrategy, isIdError } from '@ids/core';
import { parseOptions } from '@ids/core/strategy';
import type { Check } from '../checks/check.js';
import { backendChecks, mustNotOpen, notOpened, openingChecks } from '../checks/generator-checks.js';
import { seriesChecks } from '../checks/series-checks.js';
import { planAll } from '../tables/generators.js';
import { type AddCommand, type CommandContext, EXIT, exitCodeOf } from '../terminal/command.js';
import { type Row, writeJson, writeTable } from '../terminal/output.js';

/** Checks everything that the generators and the series need, and reports what is wrong. */
export const addDoctor: AddCommand = (ids, actionOf) =>
  ids
    .command('doctor')
    .description('Check the config, connections, rights and tables')
    .action(
      actionOf(async (context) => {
        const read = await readConfig(context);
        const hide = secretHider(read.config);
        const config = configChecks(read, context);
        const defaults = config.generators.flatMap((generator) =>
          defaultsOf(generator, read.settings, context),
        );
        const settings = [...read.settings, ...defaults].map(({ path, value, origin }) => {
          return { setting: path.join('.'), value: hide(shownSetting(path.join('.'), value)), origin };
        });
        const found = [...config.checks, ...read.warnings.map(warningCheck)];
        const seen = new Set<unknown>();
        const opened: ConfiguredGenerator[] = [];
        const closed: Check[] = [];
        for (const generator of config.generators) {
          const checks = await backendChecks(generator, config.generators, seen);
          found.push(...checks);
          if (mustNotOpen(generator, checks)) closed.push(notOpened(generator));
          else opened.push(generator);
        }
        for (const series of config.series) found.push(...(await seriesChecks(series, seen)));
        found.push(...(await openingChecks(opened)), ...closed);
        const checks = found.map((check) => ({ ...check, detail: hide(check.detail) }));
        if (context.json) writeJson(context.stdout, { file: read.file, settings, checks });
        else {
          writeTable(
            context.stdout,
            ['setting', 'value', 'from'],
            settings.map(({ setting, value, origin }) => ({ cells: [setting, value, origin] })),
          );
          writeTable(context.stdout, ['', 'checked', 'found'], checks.map(rowOf));
        }
        if (config.failure !== undefined) return exitCodeOf(config.failure);
        return checks.some(({ status }) => status === 'wrong') ? EXIT.failed : EXIT.ok;
      }),
    );

/** The options that nobody set, with the defaults of the strategy. */
function defaultsOf(
  { name, strategy, options }: ConfiguredGenerator,
  settings: readonly Setting[],
  context: CommandContext,
): Setting[] {
  const known = serviceStrategies(context).find((candidate) => candidate.name === strategy);
  if (known === undefined) return [];
  const said = new Set(settings.map(({ path }) => path.join('.')));
  return Object.entries(parseOptions<unknown>(known, options) as object)
    .map(([option, value]) => ({
      path: ['generators', name, option],
      value: value as unknown,
      origin: 'default',
    }))
    .filter(
      ({ path: [, , option = ''], value }) =>
        value !== undefined && !said.has(option) && !said.has(`generators.${name}.${option}`),
    );
}

const MOODS = { ok: 'good', warning: 'odd', wrong: 'bad' } as const;

function rowOf({ what, status, detail }: Check): Row {
  return { cells: [status, what, detail], mood: MOODS[status] };
}

function warningCheck({ about: what, message: detail }: ConfigWarning): Check {
  return { what, status: 'warning', detail };
}

interface ConfigVerdict {
  readonly checks: readonly Check[];
  readonly generators: readonly ConfiguredGenerator[];
  readonly series: readonly PlannedSeries[];
  readonly failure?: unknown;
}

function configChecks(read: ReadConfig, context: CommandContext): ConfigVerdict {
  const { file } = read;
  try {
    const generators = [...planAll(read, serviceStrategies(context)).values()];
    return {
      checks: [{ what: file, status: 'ok', detail: 'valid, and all requirements are met' }],
      generators,
      series: [...planSeries(read.config).values()],
    };
  } catch (failure) {
    if (!isIdError(failure)) throw failure;
    const lines = failure.message.split('\n');
    const checks = lines.map((detail): Check => ({ what: file, status: 'wrong', detail }));
    return { checks: [...checks, ...otherEntryChecks(read, context)], generators: [], series: [], failure };
  }
}

/** The strategies that a service can use, as far as this command knows. */
function serviceStrategies({
  strategies,
  serviceStrategies: ofService,
}: CommandContext): readonly IdStrategy[] {
  return ofService ?? strategies;
}

/**
 * A config that a service cannot open may be right for one that imports its strategies from other entries.
 */
function otherEntryChecks(
  read: ReadConfig,
  { strategies, serviceStrategies: ofService }: CommandContext,
): Check[] {
  if (ofService === undefined || ofService === strategies) return [];
  try {
    planAll(read, strategies);
  } catch {
    return [];
  }
  const detail =
    'this command can open it, but a service that imports the main entries cannot; for one that imports others, run ' +
    'npx --no -- ids doctor --strategies <module that exports its list>';
  return [{ what: 'strategies', status: 'warning', detail }];
}
