// Preloaded into a process in which the packages `pg` and `mysql2` cannot be found.
import { register } from 'node:module';

const hooks = `export async function resolve(specifier, context, next) {
  if (specifier !== 'pg' && specifier !== 'mysql2') return next(specifier, context);
  throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
