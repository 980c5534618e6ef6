/** An id. Always a primitive, so that it works as a JSON value, a Map key and a SQL parameter. */
export type Id = string | number | bigint;
