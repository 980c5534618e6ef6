import type { IdGenerator } from '@ids/core';
import { type OrderedContext, open as openSubject } from './subject.js';

/** As the subject, but beside each fourth call another one is made and given up while it waits. */
export async function open(context: OrderedContext, note?: (event: string) => void): Promise<IdGenerator> {
  const generator = await openSubject(context, note);
  let calls = 0;
  return Object.assign(Object.create(generator) as IdGenerator, {
    next: () => {
      if (++calls % 4 === 0) {
        const controller = new AbortController();
        generator.next({ signal: controller.signal }).catch(() => note?.('aborted'));
        setTimeout(() => controller.abort(), 1);
      }
      return generator.next();
    },
    health: () => generator.health(),
    close: () => generator.close(),
  });
}
