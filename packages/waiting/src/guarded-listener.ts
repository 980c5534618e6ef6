import { formatValue } from '@ids/core/strategy';

/** A listener that never throws or rejects: an error of the user's listener becomes a process warning. */
export function guardedListener<Event>(
  listener: ((event: Event) => void) | undefined,
): (event: Event) => void {
  return (event) => {
    try {
      // An async function is assignable to a type that returns void. If its rejection is not handled, the
      // process ends.
      Promise.resolve(listener?.(event)).catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}

/** A warning of its own: given an error, `emitWarning` says nothing but that error, and not whose it is. */
function warn(error: unknown): void {
  const thrown = error instanceof Error ? String(error) : formatValue(error);
  const warning = new Error(`thrown by onEvent: ${thrown}`, { cause: error });
  warning.name = 'Warning';
  if (globalThis.process?.emitWarning === undefined) console.warn(warning);
  else process.emitWarning(warning);
}
