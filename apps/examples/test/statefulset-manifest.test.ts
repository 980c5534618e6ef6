import { readFileSync } from 'node:fs';
import { validate as isStatefulSet } from 'kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { workerOf } from '../src/recipes/statefulset-worker.js';

const RANGES = { orders: { first: 0, count: 32 } };

it('the manifest in docs/recipes.md is one for Kubernetes, and each of its pods has a worker', () => {
  const page = readFileSync(new URL('../../../docs/recipes.md', import.meta.url), 'utf8');
  const [, text = ''] = /```yaml\n# statefulset\.yaml\n(.*?)\n```/s.exec(page) ?? [];
  const manifest = parse(text);
  expect(isStatefulSet(manifest), JSON.stringify(Reflect.get(isStatefulSet, 'errors'))).toBe(true);
  const { metadata, spec } = new StatefulSet(manifest);
  const { labels } = manifest.spec.template.metadata;
  expect(labels).toMatchObject(manifest.spec.selector.matchLabels);
  for (let ordinal = 0; ordinal < (spec?.replicas ?? 0); ordinal++)
    expect(workerOf(`${metadata?.name}-${ordinal}`, RANGES)).toBe(ordinal);
  const [container] = spec?.template.spec?.containers ?? [];
  expect(container?.env).toEqual([
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ]);
});
