import type { BaseWorld, WorldProcess } from './base-world.js';

/** Where a fault happens, and the numbers that determine how. */
export interface Scene<World> {
  readonly world: World;
  /** From 0 to 1. */
  readonly who: number;
  readonly strength: number;
  /** A duration between two bounds, on a logarithmic scale. */
  readonly ms: (low: number, high: number) => number;
}

/** Makes something go wrong. Returns what it did, or undefined if it is not possible now. */
export type Fault<World = BaseWorld> = (scene: Scene<World>) => string | undefined;

export function toProcess(
  { world, who }: Scene<BaseWorld>,
  act: (process: WorldProcess) => void,
): string | undefined {
  const process = world.alive.length === 0 ? undefined : pick(world.alive, who);
  if (process === undefined) return undefined;
  act(process);
  return process.owner.name;
}

/** The value at a share of the list: from 0, inclusive, to 1, exclusive. */
export function pick<T>(values: readonly T[], share: number): T {
  return values[Math.floor(share * values.length)] as T;
}
