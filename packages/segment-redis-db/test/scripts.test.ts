import { describe, expect, it } from 'vitest';
import * as scripts from '../src/scripts.generated.js';
import { MUTANTS } from './support/mutant.js';

const all = Object.values(scripts);

describe('the scripts', () => {
  it.each(all)('$name begins by making sure of its reign', ({ text }) => {
    expect(text.indexOf('role:master')).toBeGreaterThan(0);
    expect(text.indexOf('role:master')).toBeLessThan(text.indexOf('KEYS[1]', text.indexOf('local epoch')));
  });

  it.each(all)('$name touches one key and no other', ({ text }) => {
    expect(text).not.toMatch(/KEYS\[[^1]\]/);
  });

  it.each(Object.values(MUTANTS))('hold the guard that a test takes out: $name', ({ from }) => {
    expect(all.some(({ text }) => text.includes(from))).toBe(true);
  });
});
