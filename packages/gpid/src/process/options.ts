import { formatValue, ruleMessage } from '@ids/core/strategy';
import * as v from 'valibot';
import { MAX_PORT } from './gpid-parts.js';
import { canonicalIp } from './ip.js';

/** Options of the strategy and of `createGpidGenerator`. */
export interface GpidOptions {
  /** The TCP port on which this process listens, 0 .. 65535; 0 if it does not listen. */
  readonly port: number;
  /**
   * The IP address at which others reach this process, without a zone. Default, on Linux: the source address
   * of the default route, of IPv4 or else of IPv6. If there is none, the address is required.
   */
  readonly address?: string | undefined;
}

/** Servers listen on `::` and `0.0.0.0`; every machine has them. */
const UNSPECIFIED = ['0.0.0.0', '::'];

function isAddress(value: unknown): value is string {
  const ip = typeof value === 'string' ? canonicalIp(value) : undefined;
  return ip !== undefined && !UNSPECIFIED.includes(ip);
}

const PORT_RULE = `must be a whole number from 0 to ${MAX_PORT}, 0 for no listening port`;

const entries = {
  port: v.custom<number>(
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_PORT,
    ruleMessage(PORT_RULE),
  ),
  address: v.optional(
    v.pipe(
      v.custom<string>(
        isAddress,
        ruleMessage(
          'must be an IP address of this machine, such as 10.0.0.7 or fd00::7, without a zone, not 0.0.0.0 or ::',
        ),
      ),
      v.transform((text) => canonicalIp(text) ?? text),
    ),
  ),
};

export const optionNames = Object.keys(entries);

export const optionsSchema = v.object(entries, ({ path, input }) =>
  // With a path, the issue is a missing key, which can only be the port.
  path === undefined ? `options must be an object, got ${formatValue(input)}` : `${PORT_RULE}, got undefined`,
);

/** The validated options, with the address in its shortest form. */
export type ParsedOptions = v.InferOutput<typeof optionsSchema>;
