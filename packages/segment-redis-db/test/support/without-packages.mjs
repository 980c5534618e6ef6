import { register } from 'node:module';

/** From now on, these packages cannot be found in this process. */
export function withoutPackages(names) {
  const hooks = `export async function resolve(specifier, context, next) {
    if (!${JSON.stringify(names)}.includes(specifier)) return next(specifier, context);
    throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
  }`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}
