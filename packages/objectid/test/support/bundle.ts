import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };

/**
 * This package and all that it imports as one script, an expression that gives its exports: for places that have no
 * module loader.
 */
export function bundle(): string {
  const modules = new Map<string, string>();
  add(new URL('../../src/index.ts', import.meta.url).href, modules);
  const texts = [...modules].map(([id, text]) => `${JSON.stringify(id)}(exports, require) {\n${text}\n}`);
  return `((modules) => {
    const loaded = new Map();
    const require = (id) => {
      if (!loaded.has(id)) { loaded.set(id, {}); modules[id](loaded.get(id), require); }
      return loaded.get(id);
    };
    return require(${JSON.stringify([...modules.keys()][0])});
  })({${texts.join(',')}})`;
}

function add(id: string, modules: Map<string, string>): void {
  if (modules.has(id)) return;
  modules.set(id, '');
  const { outputText } = ts.transpileModule(readFileSync(fileURLToPath(id), 'utf8'), { compilerOptions });
  const text = outputText.replace(/\brequire\("([^"]+)"\)/g, (_, specifier: string) => {
    const target = resolve(specifier, id);
    add(target, modules);
    return `require(${JSON.stringify(target)})`;
  });
  modules.set(id, text);
}

function resolve(specifier: string, from: string): string {
  if (!specifier.startsWith('.')) return import.meta.resolve(specifier);
  const { href } = new URL(specifier, from);
  return from.endsWith('.ts') ? href.replace(/\.js$/, '.ts') : href;
}
