import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Gpid, startedText } from '../process/gpid.js';
import { isLoopback } from '../process/ip.js';
import { bootId } from '../process/this-process.js';

/** Attributes of an OpenTelemetry resource, named as in the semantic conventions. */
export interface GpidResourceAttributes {
  /** A UUID of version 5 of the gpid's string, in the namespace that the conventions define for it. */
  readonly 'service.instance.id': string;
  readonly 'process.pid': number;
  /** ISO 8601, to the microsecond. */
  readonly 'process.creation.time': string;
  /** Absent for loopback addresses, which the conventions exclude. */
  readonly 'host.ip'?: readonly string[];
  /** Only for processes on this machine. */
  readonly 'host.name'?: string;
  /** The machine id; only for processes on this machine, and if it has one. */
  readonly 'host.id'?: string;
}

/** From the conventions for `service.instance.id`. */
const INSTANCE_NAMESPACE = '4d63009a8d0f11eeaad74c796ed8e320';

/**
 * The attributes of `gpid` for `resourceFromAttributes` of an OpenTelemetry SDK. This package does not depend
 * on one.
 */
export function resourceAttributes(gpid: Gpid): GpidResourceAttributes {
  return {
    'service.instance.id': uuidV5(INSTANCE_NAMESPACE, gpid.toString()),
    'process.pid': gpid.pid,
    'process.creation.time': startedText(gpid),
    ...(!isLoopback(gpid.ip) && { 'host.ip': [gpid.ip] }),
    ...(isOfThisMachine(gpid) && hostAttributes()),
  };
}

function isOfThisMachine({ evidence }: Gpid): boolean {
  return evidence.boot !== undefined && evidence.boot === bootId();
}

function hostAttributes(): Pick<GpidResourceAttributes, 'host.name' | 'host.id'> {
  const id = machineId();
  return { 'host.name': hostname(), ...(id !== undefined && { 'host.id': id }) };
}

/** See machine-id(5). Many containers have none. */
function machineId(): string | undefined {
  try {
    return /^[0-9a-f]{32}$/m.exec(readFileSync('/etc/machine-id', 'latin1'))?.[0];
  } catch {
    return undefined;
  }
}

/** RFC 9562, section 5.5. */
function uuidV5(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace, 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}
