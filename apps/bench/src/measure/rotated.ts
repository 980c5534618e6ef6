/** The order of `items` in block `block`: each starts one further, so that no case always follows the same one. */
export function rotated<T>(items: readonly T[], block: number): T[] {
  const start = items.length === 0 ? 0 : block % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
