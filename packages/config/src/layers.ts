/**
 * One value of a config, and where it came from: `code`, `environment IDS_REDIS_URL`, the name
 * of a file, or `default`.
 */
export interface Setting {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: string;
}

/** Every leaf of `config`; clients and other objects that are not plain count as leaves. */
export function settingsOf(config: unknown, origin: string, path: readonly string[] = []): Setting[] {
  if (!isPlain(config)) return [{ path, value: config, origin }];
  return Object.entries(config).flatMap(([key, value]) =>
    value === undefined ? [] : settingsOf(value, origin, [...path, key]),
  );
}

/** A copy of `config` with `settings` in it, the later above the earlier. */
export function withSettings(config: object, settings: readonly Setting[]): object {
  const copy = copyOf(config) as Record<string, unknown>;
  for (const { path, value } of settings) place(copy, path, value);
  return copy;
}

function copyOf(value: unknown): unknown {
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]));
}

function place(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  const inner = Object.hasOwn(target, key) && isPlain(target[key]) ? target[key] : {};
  if (rest.length > 0) place(inner, rest, value);
  // Defined, not assigned: a key named "__proto__" is then a key like others.
  const placed = rest.length === 0 ? value : inner;
  Object.defineProperty(target, key, { value: placed, enumerable: true, configurable: true, writable: true });
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
