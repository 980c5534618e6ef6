/**
 * Milliseconds since the epoch. In what is built for Node.js `exact-clock.node.ts`
 * stands in the place of this.
 */
export function exactNow(): number {
  return Date.now();
}
