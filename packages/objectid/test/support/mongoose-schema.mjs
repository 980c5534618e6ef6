// Run by Node.js itself, for the class as it is built: Mongoose knows a class that is
// given for a type by its name.

import { connectBson, ObjectId } from '@ids/objectid/bson';
import mongoose from 'mongoose';

connectBson(mongoose.Types.ObjectId);
const schema = new mongoose.Schema(
  { ref: ObjectId, refs: [ObjectId], typed: { type: ObjectId } },
  { autoIndex: false },
);
const Order = mongoose.model('Order', schema);
const id = new ObjectId();
const order = new Order({ ref: id, refs: [id], typed: id });
const error = order.validateSync();
console.log(
  JSON.stringify({
    types: ['ref', 'typed'].map((path) => schema.path(path).instance),
    isTheirs: [order.ref, order.refs[0], order.typed].map((ref) => ref instanceof mongoose.Types.ObjectId),
    isEqual: [order.ref, order.refs[0], order.typed].map((ref) => ref.equals(id)),
    isKnown: [mongoose.isObjectIdOrHexString(id), ObjectId.isValid(id)],
    error: error ?? null,
  }),
);
