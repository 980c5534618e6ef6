import { defineGuarantees } from '@ids/core/strategy';
import { KeyedDispenser, type KeyedDispenserOptions, MemoryKeyedSource } from '@ids/keyed';

const guarantees = defineGuarantees({
  within: 'key',
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'real-time' },
  gaps: 'on-fault',
  sync: false,
  idType: 'number',
  text: { pattern: /^\d+$/, alphabet: '0123456789', minLength: 1, maxLength: 16, sortable: false },
  backends: ['sql'],
  discloses: ['volume'],
});

/** A keyed generator `message` over a source in memory. */
export function openMemoryFamily(
  options: Partial<KeyedDispenserOptions<number>> = {},
): Promise<KeyedDispenser<number>> {
  return KeyedDispenser.open({
    strategy: 'keyed',
    guarantees,
    source: new MemoryKeyedSource({ message: 0 }),
    name: 'message',
    toId: (value) => value,
    maxStep: 1_000,
    deadlineMs: 10_000,
    ...options,
  });
}
