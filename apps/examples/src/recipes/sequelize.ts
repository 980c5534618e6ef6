import type { IdGenerator } from '@ids/core';
import { DataTypes, type Model, type ModelStatic, type Sequelize } from 'sequelize';

/**
 * Gives the rows of a model an `id` where the call names none: those of `create`, `save`, `findOrCreate` and
 * `bulkCreate`, also of models that they include. `upsert` and raw SQL call none of these hooks.
 */
function fillIds(model: ModelStatic<Model>, ids: IdGenerator<number> | IdGenerator<string>): void {
  const fill = async (rows: readonly Model[]) => {
    const withoutId = rows.filter((row) => (row.getDataValue('id') ?? undefined) === undefined);
    const made = await ids.nextBatch(withoutId.length);
    for (const [i, row] of withoutId.entries()) row.setDataValue('id', made[i]);
  };
  model.beforeCreate('fill-ids', (row) => fill([row]));
  model.beforeBulkCreate('fill-ids', fill);
}

/** Orders with lines. Sequelize waits for hooks: any strategy of numbers will do. */
export function defineOrders(sequelize: Sequelize, ids: IdGenerator<number>, lineIds: IdGenerator<string>) {
  const options = { timestamps: false, underscored: true };
  const Order = sequelize.define('order', { id: bigintId('id'), item: DataTypes.TEXT }, options);
  const line = { id: { type: DataTypes.UUID, primaryKey: true }, text: DataTypes.TEXT };
  const Line = sequelize.define('line', line, options);
  const foreignKey = { name: 'orderId', allowNull: false };
  Order.hasMany(Line, { foreignKey });
  fillIds(Order, ids);
  fillIds(Line, lineIds);
  return { Order, Line };
}

/** The driver reads a bigint as a string. Ids end at 2^53 - 1, so a number is exact. */
function bigintId(name: string) {
  return {
    type: DataTypes.BIGINT,
    primaryKey: true,
    get(this: Model) {
      const id: string | number | null | undefined = this.getDataValue(name);
      return id === null || id === undefined ? id : Number(id);
    },
  };
}
