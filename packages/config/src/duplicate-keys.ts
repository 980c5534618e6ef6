/** A key that an object has more than once: JSON keeps the last, and says nothing. */
export interface DuplicateKey {
  /** `generators.order.minStep` */
  readonly path: string;
  /** Where it stands, from 1, in their order. */
  readonly lines: readonly number[];
}

/** Comments, texts, marks, and whatever else stands between them: JSON, also with comments, and JSON5. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[{}[\],:]|[^\s{}[\],:"'/]+/g;

interface Scope {
  readonly path: readonly string[];
  readonly lines: Map<string, number[]>;
}

/** The keys that come again in one object of a text that a JSON parser accepts. */
export function duplicateKeys(text: string): DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const open: Scope[] = [];
  let scope: Scope = { path: [], lines: new Map() };
  let [before, key] = ['', ''];
  let [line, upTo] = [1, 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith('//') || token.startsWith('/*')) continue;
    line += text.slice(upTo, index).split('\n').length - 1;
    upTo = index;
    if (token === ':') {
      key = nameOf(before);
      scope.lines.set(key, [...(scope.lines.get(key) ?? []), line]);
    } else if (token === '{' || token === '[') {
      open.push(scope);
      scope = { path: before === ':' ? [...scope.path, key] : scope.path, lines: new Map() };
    } else if (token === '}' || token === ']') {
      for (const [name, lines] of scope.lines) {
        if (lines.length > 1) found.push({ path: [...scope.path, name].join('.'), lines });
      }
      scope = open.pop() ?? scope;
    }
    before = token;
  }
  return found;
}

/** A key may stand in quotation marks or, in JSON5, without; the same one may be written with escapes. */
function nameOf(token: string): string {
  if (!/^["']/.test(token)) return token;
  try {
    return String(JSON.parse(token));
  } catch {
    return token.slice(1, -1);
  }
}
