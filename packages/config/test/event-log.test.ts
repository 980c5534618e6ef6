import type { IdStrategy, SyncIdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type IdsConfig, type Logger, openIds } from '../src/index.js';
import { local, requiring } from './support.js';

interface Options {
  readonly onEvent?: (event: { readonly type: string }) => void;
}

const EVENTS = [
  { type: 'refill', name: 'order', segment: { low: 1, high: 9 } },
  { type: 'discard', name: 'order', reason: 'a late one' },
  { type: 'void', name: 'order', dropped: 3n, message: 'gone' },
  { type: 'timeout', name: 'order', error: new Error('no id in time') },
  { type: 'of-tomorrow', name: 'order' },
];

/** A strategy that emits all `EVENTS` when it is opened. */
const eventful = emitting(EVENTS);

function emitting(
  events: readonly { readonly type: string }[],
): IdStrategy<'eventful', Options, Options, SyncIdGenerator<string>> {
  return {
    name: 'eventful',
    options: requiring(),
    optionNames: ['onEvent'],
    guarantees: () => local.guarantees({}),
    create: async ({ onEvent }) => {
      for (const event of events) onEvent?.(event);
      return memoryGenerator({ strategy: 'eventful', guarantees: local.guarantees({}), issue: () => 'l1' });
    },
  };
}

function linesOf(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const at = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
  return { lines, logger: { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') } };
}

async function logged(logLevel: IdsConfig['logLevel'], environment = {}): Promise<string[]> {
  const { logger, lines } = linesOf();
  const config: IdsConfig = {
    ...(logLevel && { logLevel }),
    generators: { order: { strategy: 'eventful' } },
  };
  await using _ = await openIds({ strategies: [eventful], config, logger, ...environment });
  return lines;
}

describe('the log of events', () => {
  it('writes a line for each event from the level on that the config names', async () => {
    expect(await logged('debug')).toEqual([
      'debug: ids order: refill {"name":"order","segment":{"low":1,"high":9}}',
      'info: ids order: discard {"name":"order","reason":"a late one"}',
      'warn: ids order: void: gone {"name":"order","dropped":"3"}',
      'error: ids order: timeout {"name":"order","error":"no id in time"}',
      'info: ids order: of-tomorrow {"name":"order"}',
    ]);
    const levels = (lines: string[]) => lines.map((line) => line.split(':')[0]);
    expect(levels(await logged('info'))).toEqual(['info', 'warn', 'error', 'info']);
    expect(levels(await logged(undefined)), 'by default').toEqual(['info', 'warn', 'error', 'info']);
    expect(levels(await logged('warn'))).toEqual(['warn', 'error']);
    expect(levels(await logged('error'))).toEqual(['error']);
    expect(await logged('silent')).toEqual([]);
  });

  it.each([
    ['error', 'regression'],
    ['error', 'timeout'],
    ['warn', 'new-reign'],
    ['warn', 'reinstated'],
    ['warn', 'refill-failed'],
    ['warn', 'void'],
    ['warn', 'warning'],
    ['info', 'discard'],
    ['debug', 'debt'],
    ['debug', 'refill'],
    ['debug', 'wait'],
  ])('writes at level %s of %s', async (level, type) => {
    const { logger, lines } = linesOf();
    const config: IdsConfig = { logLevel: 'debug', generators: { order: { strategy: 'eventful' } } };
    await using _ = await openIds({ strategies: [emitting([{ type }])], config, logger });
    expect(lines).toEqual([`${level}: ids order: ${type} {}`]);
  });

  it('goes to the console where a level but no logger is given, and nowhere without either', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => error.mockRestore());
    const generators = { order: { strategy: 'eventful' } };
    await using _quiet = await openIds({ strategies: [eventful], config: { generators } });
    expect(error).not.toHaveBeenCalled();
    await using _loud = await openIds({ strategies: [eventful], config: { logLevel: 'error', generators } });
    expect(error.mock.calls).toEqual([['ids order: timeout {"name":"order","error":"no id in time"}']]);
  });

  it('leaves generators alone that have a listener of their own, or take none', async () => {
    const { logger, lines } = linesOf();
    const heard: string[] = [];
    const onEvent: Options['onEvent'] = ({ type }) => void heard.push(type);
    const generators = { order: { strategy: 'eventful', onEvent }, event: { strategy: 'local' } };
    await using _ = await openIds({ strategies: [eventful, local], config: { generators }, logger });
    expect([lines, heard]).toEqual([[], EVENTS.map(({ type }) => type)]);
  });

  it('refuses a level that there is not', async () => {
    const config = { logLevel: 'loud', generators: { event: { strategy: 'local' } } } as unknown as IdsConfig;
    await expect(openIds({ strategies: [local], config })).rejects.toThrow(/^logLevel: .*"silent".*"loud"/);
  });
});
