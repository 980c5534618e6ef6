import type { RunResult } from '../result.js';
import { html, type Markup } from './escape.js';
import { count } from './format.js';

/** How the figures came about and what they cannot say. */
export function methodText({ profile, processes }: RunResult): Markup {
  const { syncBlocks, sync, loopBlocks, loopMs, order } = profile;
  return html`<ul>
<li>Each trial runs in a fresh process, from built files; blocks of all cases in an order that rotates; warm until a block
improves by less than 5 %; garbage is collected before each measure.</li>
<li>In memory: ${syncBlocks} blocks of up to ${count(sync.calls)} timed calls or ${sync.maxMs} ms, 1,000 ids per timed call, each id kept in an array. A call
that finds a segment buffer empty is not timed: what refills cost shows in the closed loops. Bursts stay at or below half
of the format's ceiling.</li>
<li>With a backend: ${loopBlocks} blocks of ${loopMs} ms per setting, each caller returning to the event loop before it asks again. Latency in a closed loop hides
stalls that independent callers would feel. Backends run on this machine, so there is no network in the figures.</li>
<li>Intervals: 95 %, percentile bootstrap over blocks, ratios paired by block. With so few blocks they tend to be too narrow. "tie": the whole interval
lies within 5 % of equal; "unclear": it reaches into that band.</li>
<li>Before and after timing the ids are checked for type, pattern, length and repetition; one wrong id makes the case INVALID.</li>
<li>Uniqueness: all ids of ${processes} processes at once are written to disk, partitioned, and compared in full. No faults were injected in this run.</li>
<li>Order: ${count(order.calls)} calls of next() in each of ${processes} processes at once (a hundredth of that in the last), ${order.concurrency} at a time, spread over at least ${order.windowMs} ms, with times on the machine's
monotonic clock. One machine has one clock: skew between machines is not in it.</li>
</ul>
<p>Reproduce with <code>pnpm bench --${profile.name}</code>; raw samples and the seed are in <code>result.json</code>.</p>`;
}
