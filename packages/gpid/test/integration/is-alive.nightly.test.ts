import { describe, expect, it } from 'vitest';
import { describe as describeProcess, thisProcess } from '../../src/index.js';

const own = () => thisProcess({ port: 8888, address: '127.0.0.1' });

describe.runIf(process.platform === 'linux')('describe', () => {
  it('tells of this process what the system tells it itself', () => {
    const { user, system } = process.cpuUsage();
    const described = describeProcess(own());
    const later = process.cpuUsage();
    // The kernel cuts to ticks.
    expect(described?.cpu.userSeconds).toBeGreaterThan(user / 1e6 - 0.1);
    expect(described?.cpu.userSeconds).toBeLessThan(later.user / 1e6 + 0.1);
    expect(described?.cpu.systemSeconds).toBeGreaterThan(system / 1e6 - 0.1);
    expect(described?.cpu.systemSeconds).toBeLessThan(later.system / 1e6 + 0.1);
    const { rss } = process.memoryUsage();
    expect(described?.residentBytes).toBeGreaterThan(rss / 2);
    expect(described?.residentBytes).toBeLessThan(rss * 2);
  });
});
