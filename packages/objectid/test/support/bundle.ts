import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };

/**
 * An entry of this package and all that it imports as one script, an expression that gives its exports: for places that have no
 * module loader. What Node has built in stays a call of `require`.
 */
export function bundle(entry = 'index.ts'): string {
  const modules = new Map<string, string>();
  add(new URL(`../../src/${entry}`, import.meta.url).href, modules);
  const texts = [...modules].map(([id, text]) => `${JSON.stringify(id)}(exports, load) {\n${text}\n}`);
  return `((modules) => {
    const loaded = new Map();
    const load = (id) => {
      if (!loaded.has(id)) { loaded.set(id, {}); modules[id](loaded.get(id), load); }
      return loaded.get(id);
    };
    return load(${JSON.stringify([...modules.keys()][0])});
  })({${texts.join(',')}})`;
}

function add(id: string, modules: Map<string, string>): void {
  if (modules.has(id)) return;
  modules.set(id, '');
  const { outputText } = ts.transpileModule(readFileSync(fileURLToPath(id), 'utf8'), { compilerOptions });
  const text = outputText.replace(/\brequire\("([^"]+)"\)/g, (call, specifier: string) => {
    if (specifier.startsWith('node:')) return call;
    const target = resolve(specifier, id);
    add(target, modules);
    return `load(${JSON.stringify(target)})`;
  });
  modules.set(id, text);
}

function resolve(specifier: string, from: string): string {
  if (!specifier.startsWith('.')) return import.meta.resolve(specifier);
  const { href } = new URL(specifier, from);
  return from.endsWith('.ts') ? href.replace(/\.js$/, '.ts') : href;
}
