import { describe, expect, it, vi } from 'vitest';
import { pause } from '../src/pause.js';

describe('a pause', () => {
  it('ends after its time, or when its signal aborts, and leaves no timer', async () => {
    vi.useFakeTimers();
    try {
      const controller = new AbortController();
      const ended: string[] = [];
      const short = pause(10).then(() => ended.push('short'));
      const long = pause(1_000, { signal: controller.signal }).then(() => ended.push('long'));
      await vi.advanceTimersByTimeAsync(10);
      await short;
      expect(ended).toEqual(['short']);
      controller.abort();
      await long;
      expect(ended).toEqual(['short', 'long']);
      await pause(1_000, { signal: controller.signal });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('needs no timer that can be unreferenced, as in a Worker', async () => {
    vi.stubGlobal('setTimeout', (run: () => void) => {
      queueMicrotask(run);
      return 7;
    });
    try {
      await pause(1_000, { ref: false });
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
