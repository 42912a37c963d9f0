/** A value that may be at hand already. Waiting for a promise costs more than most requests. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Goes on with the value, at once if it is at hand. */
export function whenReady<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
