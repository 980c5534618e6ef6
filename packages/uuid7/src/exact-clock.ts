/**
 * Milliseconds since the Unix epoch. The build for Node.js replaces this module with `exact-clock.node.ts`.
 */
export function exactNow(): number {
  return Date.now();
}
