import { defineGuarantees, type Guarantees } from '@ids/core';
import type { Body } from './body.js';
import type { EncodeOptions } from './encode-options.js';

/** What is left of a strategy's promises, and what is gained, once its ids are encoded. */
export function encodedGuarantees(
  guarantees: Guarantees,
  { prefix = '', obfuscate = false }: EncodeOptions,
  body: Body,
): Guarantees {
  return defineGuarantees({
    ...guarantees,
    // Scattered ids stand in no order, and show nothing of what the strategy wrote into them.
    order: obfuscate ? { process: 'none', cluster: 'none' } : guarantees.order,
    discloses: obfuscate ? [] : guarantees.discloses,
    idType: 'string',
    text: {
      pattern: new RegExp(`^${escaped(prefix)}(?:${body.pattern})$`),
      maxLength: prefix.length + body.maxLength,
      sortable: body.sortable,
      caseSensitive: body.caseSensitive,
    },
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
