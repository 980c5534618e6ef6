/** Throws unless `ids` has as many as `count`, each above the one before. */
export function assertIncreasing(ids, count) {
  if (ids.length !== count) throw new Error(`must be ${count} ids, got ${ids.length}`);
  const wrong = ids.findIndex((id, index) => index > 0 && !(id > ids[index - 1]));
  if (wrong >= 0) throw new Error(`must increase, got ${ids[wrong - 1]}, then ${ids[wrong]}`);
}

/** A name that no other runtime uses in the same database. */
export function uniqueName() {
  return `runtime_${Math.floor(performance.timeOrigin)}_${process.pid}`;
}
