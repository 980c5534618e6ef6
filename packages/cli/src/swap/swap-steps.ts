import type { SwapSide, SwapStep } from '@ids/config/swap';
import { deleteKeyCommand } from '../tables/delete-key.js';
import type { RedisHash } from '../tables/redis.js';

/** How the command was called, to name the commands of the next steps. */
export interface SwapCall {
  readonly from: string;
  readonly to: string;
  readonly generator: string | undefined;
  readonly column: string | undefined;
  readonly inOrder: boolean;
  /** Those of the new generator, then those of the old one. */
  readonly hashes: readonly RedisHash[];
}

/** A step in words, with the command that takes it if there is one. */
export type ShownStep = SwapStep & { readonly text: string; readonly command?: string };

/** The steps in words. `raised` is the name that the config has for the new generator. */
export function shownSteps(steps: readonly SwapStep[], call: SwapCall, raised: string): readonly ShownStep[] {
  return steps.map((step) => ({ ...step, ...wordsOf(step, call, raised) }));
}

function wordsOf(step: SwapStep, call: SwapCall, raised: string): Pick<ShownStep, 'text' | 'command'> {
  const { from, to } = call;
  switch (step.do) {
    case 'stop':
      return { text: `stop all processes that issue IDs of ${from}` };
    case 'again':
      return { text: 'then plan again, for the steps that follow', command: swapCommand(call, '--stopped') };
    case 'create':
      return {
        text: `once the config names the generator, create ${step.what}`,
        command: 'npx --no -- ids apply',
      };
    case 'raise':
      return { text: 'raise the new sequence', command: `npx --no -- ids floor ${raised} ${step.floor}` };
    case 'forget':
      return {
        text: 'delete what Redis holds of older IDs, which answers 1 if it held any; processes of the new generator must not run yet',
        command: deleteKeyCommand(
          call.hashes.find(({ key }) => key === step.key) ?? { redis: undefined, key: step.key },
        ),
      };
    case 'wait':
      return { text: `wait ${step.ms / 1_000} s` };
    case 'column':
      return {
        text: `change the column, which must hold the IDs of ${from} and of ${to}, before any of ${to} is written: ${step.what}`,
      };
    case 'deploy':
      return {
        text: step.beside
          ? `start the processes of ${to}, and restart those that run already; processes of ${from} may run beside them`
          : `start the processes of ${to}, and restart those that run already`,
      };
    case 'check':
      return {
        text: `stop the processes of ${from} before they reach ${step.floor}; look how far they are, last when all have ended`,
        command: swapCommand(call, `--check ${step.floor}`),
      };
    case 'back':
      return step.how === 'as-before'
        ? { text: `the way back: start the processes of ${from} again` }
        : {
            text: `the way back is another swap; processes of ${from} that are started without it may repeat IDs`,
            command: swapCommand({ ...call, from: to, to: from }),
          };
  }
}

function swapCommand({ from, to, generator, column, inOrder }: SwapCall, ...more: string[]): string {
  const options = [
    ...(generator === undefined ? [] : [`--generator ${generator}`]),
    ...(column === undefined ? [] : [`--column ${column}`]),
    ...(inOrder ? ['--in-order'] : []),
    ...more,
  ];
  return ['npx --no -- ids swap', `--from ${from}`, `--to ${to}`, ...options].join(' ');
}

/** Whether the old sequence stayed below the floor of the new one. */
export interface SwapCheck {
  readonly ok: boolean;
  readonly reserved: bigint | undefined;
  readonly floor: bigint;
  readonly text: string;
}

/** Compares what is known of the old sequence with the floor that the new one was raised to. */
export function checkSwap({ reserved, known, pending }: SwapSide, floor: bigint, from: string): SwapCheck {
  const highest = known !== undefined && (reserved === undefined || known > reserved) ? known : reserved;
  const result = (ok: boolean, text: string): SwapCheck => ({ ok, reserved: highest, floor, text });
  if (highest === undefined) return result(false, `nobody knows how far ${from} is: its sequence is missing`);
  if (pending === true)
    return result(
      false,
      `the table of ${from} may have lost reservations: npx --no -- ids doctor says what to do`,
    );
  if (highest > floor) {
    return result(
      false,
      `${from} is reserved up to ${highest}: its IDs from ${floor + 1n} on may be equal to new ones. Stop its processes now`,
    );
  }
  return result(true, `${from} is reserved up to ${highest}: ${floor - highest} IDs are left below ${floor}`);
}
