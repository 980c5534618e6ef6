import type { HTTP_FAULTS } from '../world/planned-faults.js';
import { type Fault, pick } from '../world/scene.js';

/** Faults of the servers of ids; none is possible in a run without them. */
export const httpFaults: Readonly<Record<(typeof HTTP_FAULTS)[number], Fault>> = {
  'disturb the requests for ids': ({ world, who, strength, ms }) => {
    const { servers } = world;
    if (servers === undefined) return undefined;
    servers.disturbance = { lost: strength / 2, twice: who / 2, kept: (strength * 7) % 0.4 };
    const lengthMs = ms(50, 1_500);
    world.later(lengthMs, () => servers.calm());
    return `for ${lengthMs.toFixed(0)} ms`;
  },

  'kill a server of ids': ({ world, who, ms }) => {
    const { servers } = world;
    if (servers === undefined || servers.alive.length === 0) return undefined;
    const server = pick(servers.alive, who);
    servers.kill(server);
    world.later(ms(1, 1_000), () => servers.start());
    return server.owner.name;
  },

  'pause a server of ids': ({ world, who, ms }) => {
    const { servers } = world;
    if (servers === undefined || servers.alive.length === 0) return undefined;
    const { owner } = pick(servers.alive, who);
    owner.pausedUntil = world.scheduler.now + ms(5, 2_000);
    return `${owner.name} until ${owner.pausedUntil.toFixed(0)}`;
  },
};
