/** Runs work that may create very many errors. They get no stacks, which take far longer to create than the errors. */
export function withoutStacks<Value>(work: () => Value): Value {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
