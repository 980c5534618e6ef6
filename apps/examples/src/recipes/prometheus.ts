import type { RequestListener } from 'node:http';
import type { IdGenerator } from '@ids/core';
import { observeSegments } from '@ids/segment/otel';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** What answers `GET /metrics`, and what ends it. */
export interface MetricsRoute {
  readonly listener: RequestListener;
  /** To be called before the generators are closed. */
  end(): Promise<void>;
}

/**
 * Metrics of generators, such as `ids.generators` of a config, in the format that Prometheus scrapes; for the
 * HTTP server of the service.
 */
export function metricsRoute(generators: Readonly<Record<string, IdGenerator>>): MetricsRoute {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const endObservation = observeSegments(provider.getMeter('ids'), generators);
  return {
    listener: (request, response) => exporter.getMetricsRequestHandler(request, response),
    end: async () => {
      endObservation();
      await provider.shutdown();
    },
  };
}
