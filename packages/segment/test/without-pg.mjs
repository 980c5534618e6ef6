// Preloaded into a process in which the package `pg` cannot be found.
import { register } from 'node:module';

const hooks = `export async function resolve(specifier, context, next) {
  if (specifier !== 'pg') return next(specifier, context);
  throw Object.assign(new Error("Cannot find package 'pg'"), { code: 'ERR_MODULE_NOT_FOUND' });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
