import { describe, expect, it, vi } from 'vitest';
import { type ConformanceSubject, conformanceCases, type RunOptions, runConformance } from '../src/index.js';
import { noteUntested } from '../src/untested.js';
import { references } from './references/references.js';

/** What a run declares, without running it. */
function declaredFor(subject: ConformanceSubject, options: RunOptions) {
  const [suites, run, skipped] = [[], [], []] as [string[], string[], string[]];
  const bodies = new Map<string, () => Promise<void>>();
  const declared = (name: string, body: () => Promise<void>): void => {
    run.push(name);
    bodies.set(name, body);
  };
  const declare = Object.assign(declared, { skip: (name: string) => skipped.push(name) });
  const describe = (name: string, body: () => void): void => {
    suites.push(name);
    body();
  };
  runConformance(subject, { describe, it: declare }, options);
  return { suites, run, skipped, bodies };
}

describe('the tests declared for a strategy', () => {
  const { segments } = references(0);
  const { suites, run, skipped, bodies } = declaredFor(segments, { limits: false });

  it('stand under the name of the strategy, one for each case, and the summary', () => {
    expect(suites).toEqual(['segments keeps the contract']);
    expect(run.length).toBeGreaterThan(20);
    expect(run.length + skipped.length).toBe(conformanceCases.length + 1);
    expect(run.at(-1)).toBe('prints what this run did not test');
  });

  it('show what is skipped, and by which guarantee', () => {
    expect(skipped).toContain(
      'issues ids that survive JSON (skipped: ids are bigint, which JSON does not support)',
    );
    expect(skipped).toContain('skips no number across a restart (skipped: a restart may leave a gap)');
    expect(run).toContain('skips no number while nothing fails');
  });

  it('judge by time or memory with limits only', () => {
    const memory = 'keeps less than 6 bytes of memory per id';
    expect(skipped).toContain(`${memory} (skipped: judged by time or memory: run with limits: true)`);
    const names = conformanceCases.filter(({ limits }) => limits).map(({ name }) => name);
    expect(names.filter((name) => run.includes(name))).toEqual([]);
    expect(declaredFor(segments, { limits: true }).run).toContain(memory);
  });

  it.each(['1', undefined])('take limits from the environment, IDS_LIMITS: %s', (value) => {
    vi.stubEnv('IDS_LIMITS', value);
    const byEnvironment = declaredFor(segments, {});
    vi.unstubAllEnvs();
    expect(byEnvironment.run).toEqual(declaredFor(segments, { limits: value === '1' }).run);
  });

  it('print what was not tested, and why', async () => {
    const lines: string[] = [];
    const print = vi.spyOn(console, 'info').mockImplementation((text: string) => void lines.push(text));
    await bodies.get('makes claims that agree with each other')?.();
    noteUntested(segments, 'counters', 'the generator counts nothing');
    await bodies.get('prints what this run did not test')?.();
    print.mockRestore();
    const [summary = ''] = lines;
    expect(summary).toContain('segments, not tested in this run:\n');
    expect(summary).toContain(
      '\n  issues ids that survive JSON: ids are bigint, which JSON does not support\n',
    );
    expect(summary).toContain('\n  issues increasing ids: the case failed, or was left out of this run\n');
    expect(summary).toContain('\n  lets its process end within 2 s of close: judged by time or memory: run');
    expect(summary).toContain('\n  counters: the generator counts nothing\n');
    expect(summary).toContain('\n  faults of sql: the kit runs without faults\n');
    expect(summary).toContain('\n  uniqueness across machines: the kit runs on one machine\n');
    expect(summary).toContain('\n  uniqueness of processes with equal PIDs: ');
    expect(summary).not.toContain('makes claims that agree with each other');
    expect(summary).not.toContain('order across machines');
  });
});
