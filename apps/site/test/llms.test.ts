import { expect, it } from 'vitest';
import { listedForModels } from '../src/llms.js';

const WRITTEN = `# ids

> Unique IDs

Six strategies.

## Table of Contents

### Decisions

- [1. IDs are strings](https://ids.example/docs/decisions/0001.md)

### Start

- [Choosing](https://ids.example/docs/choosing.md)
- [Inspect](https://ids.example/docs/inspect.md): Has one already.

### Contribute

- [Unknown](/docs/unknown.md)

### Other

- [Home](/docs/index.md)
`;

it('llms.txt has a section for each group, what is optional last, and a sentence for each page', () => {
  const descriptions = new Map([
    ['choosing.md', 'Version 1.6 of e.g. six strategies. They implement one interface.'],
    ['decisions/0001.md', 'Context. Redis rounds.'],
    ['inspect.md', 'Another one.'],
  ]);
  expect(listedForModels(WRITTEN, '/docs/', (page) => descriptions.get(page))).toBe(`# ids

> Unique IDs

Six strategies.

## Start

- [Choosing](https://ids.example/docs/choosing.md): Version 1.6 of e.g. six strategies.
- [Inspect](https://ids.example/docs/inspect.md): Has one already.

## Other

- [Home](/docs/index.md)

## Optional

- [1. IDs are strings](https://ids.example/docs/decisions/0001.md): Context. Redis rounds.
- [Unknown](/docs/unknown.md)
`);
});
