import { type MeteredGenerator, observeSegments } from '@ids/segment/otel';
import { metrics } from '@opentelemetry/api';

/**
 * Shows segment generators as `idgen.*` to whatever SDK the service has set up. Call it once the SDK is, and
 * the function it returns before the generators are closed.
 */
export function observeIds(generators: Readonly<Record<string, MeteredGenerator>>): () => void {
  return observeSegments(metrics.getMeter('order-service'), generators);
}
