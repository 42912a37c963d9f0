/** Wrong use of a command. The message says what to do instead. */
export class UsageError extends Error {}
