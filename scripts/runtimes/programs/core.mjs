import { createIds } from '@ids/core';
import { defineGuarantees, memoryGenerator } from '@ids/core/strategy';
import { assertIncreasing } from './checks.mjs';

const guarantees = defineGuarantees({
  unique: 'process',
  order: { process: 'increasing', cluster: 'none' },
  gaps: 'on-restart',
  maxIdsLost: 0,
  sync: true,
  idType: 'number',
  text: { pattern: /^[1-9]\d{0,15}$/, alphabet: '0123456789', minLength: 1, maxLength: 16, sortable: false },
  backends: [],
  discloses: ['volume'],
});
let last = 0;
const counter = {
  name: 'counter',
  options: { '~standard': { version: 1, vendor: 'runtimes', validate: (value) => ({ value }) } },
  optionNames: [],
  guarantees: () => guarantees,
  create: async () => memoryGenerator({ strategy: 'counter', guarantees, issue: () => ++last }),
};

export default async function run() {
  const ids = await createIds([counter]).create({ strategy: 'counter' });
  assertIncreasing([await ids.next(), ...(await ids.nextBatch(999))], 1_000);
  await ids.close();
}
