import type { IdGenerator } from '@ids/core';
import { Prisma } from '@prisma/client/extension';

/**
 * `prisma.$extends(fillIds(ids))`: rows that `create`, `createMany`, `createManyAndReturn` and `upsert` make
 * get an id where the call names none. Prisma does not show nested writes to extensions: rows that one call
 * creates below another need their ids in the call.
 */
export function fillIds(ids: IdGenerator<bigint> | IdGenerator<string>) {
  const filled = async (row: unknown) => {
    // Extensions that serve every schema see rows without types.
    const { id = await ids.next(), ...columns } = Object(row);
    return { ...columns, id };
  };
  const filledAll = (rows: unknown) => Promise.all([rows].flat().map(filled));

  return Prisma.defineExtension({
    name: 'fill-ids',
    query: {
      $allModels: {
        create: async ({ args, query }) => query({ ...args, data: await filled(args.data) }),
        createMany: async ({ args, query }) => query({ ...args, data: await filledAll(args.data) }),
        createManyAndReturn: async ({ args, query }) => query({ ...args, data: await filledAll(args.data) }),
        upsert: async ({ args, query }) => query({ ...args, create: await filled(args.create) }),
      },
    },
  });
}
