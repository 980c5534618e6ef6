import { type Expression, type Property, parseExpressionAt } from 'acorn';

/** A key that an object contains more than once. JSON parsers silently use the last. */
export interface DuplicateKey {
  /** `generators.order.minStep` */
  readonly path: string;
  /** The line numbers, starting at 1, in ascending order. */
  readonly lines: readonly number[];
}

/**
 * The keys that occur more than once in an object of a valid file: JSON, JSON with comments or JSON5. All of
 * them are expressions of JavaScript, and a parser of that keeps the position of each key.
 */
export function duplicateKeys(text: string): DuplicateKey[] {
  try {
    return duplicatesIn(parseExpressionAt(text, 0, { ecmaVersion: 'latest', locations: true }), []);
  } catch {
    // JavaScript rejects a second `__proto__`. c12 ignores that key.
    return [];
  }
}

function duplicatesIn(value: Expression, path: readonly string[]): DuplicateKey[] {
  if (value.type === 'ArrayExpression') {
    return value.elements.flatMap((element, index) =>
      element === null ? [] : duplicatesIn(element as Expression, [...path, String(index)]),
    );
  }
  if (value.type !== 'ObjectExpression') return [];
  const found: DuplicateKey[] = [];
  const lines = new Map<string, number[]>();
  for (const property of value.properties as readonly Property[]) {
    const name = nameOf(property);
    lines.set(name, [...(lines.get(name) ?? []), property.loc?.start.line ?? 0]);
    found.push(...duplicatesIn(property.value, [...path, name]));
  }
  for (const [name, at] of lines) {
    if (at.length > 1) found.push({ path: [...path, name].join('.'), lines: at });
  }
  return found;
}

/** A key is quoted or, in JSON5, can be bare. */
function nameOf({ key }: Property): string {
  return key.type === 'Identifier' ? key.name : String((key as { readonly value?: unknown }).value);
}
