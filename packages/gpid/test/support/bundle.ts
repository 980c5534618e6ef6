import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };

/**
 * This package and all that it imports, but for Node's own modules, as one script: an expression that gives its exports, for a
 * start-up snapshot, which is built of one file.
 */
export function bundle(): string {
  const modules = new Map<string, string>();
  const entry = new URL('../../src/index.ts', import.meta.url).href;
  add(entry, modules);
  const texts = [...modules].map(([id, text]) => `${JSON.stringify(id)}(exports, require) {\n${text}\n}`);
  return `((modules) => {
    const loaded = new Map();
    const load = (id) => {
      if (!(id in modules)) return require(id);
      if (!loaded.has(id)) { loaded.set(id, {}); modules[id](loaded.get(id), load); }
      return loaded.get(id);
    };
    return load(${JSON.stringify(entry)});
  })({${texts.join(',')}})`;
}

function add(id: string, modules: Map<string, string>): void {
  if (modules.has(id)) return;
  modules.set(id, '');
  const { outputText } = ts.transpileModule(readFileSync(fileURLToPath(id), 'utf8'), {
    compilerOptions: { ...compilerOptions, esModuleInterop: true },
  });
  const text = outputText.replace(/\brequire\("([^"]+)"\)/g, (call, specifier: string) => {
    if (isBuiltin(specifier)) return call;
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
