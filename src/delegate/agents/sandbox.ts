/** Sandbox modes, from the most to the least restrictive. */
export const sandboxes = ['read-only', 'workspace-write', 'danger-full-access'] as const;
export type Sandbox = (typeof sandboxes)[number];

export function isSandbox(value: unknown): value is Sandbox {
  return sandboxes.includes(value as Sandbox);
}

/** Returns the most restrictive of the given modes. */
export function narrowest(first: Sandbox, ...others: readonly Sandbox[]): Sandbox {
  return others.reduce(
    (narrow, one) => (sandboxes.indexOf(one) < sandboxes.indexOf(narrow) ? one : narrow),
    first,
  );
}
