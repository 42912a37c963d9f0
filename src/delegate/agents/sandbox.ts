/** What an agent may touch, from least to most. */
export const sandboxes = ['read-only', 'workspace-write', 'danger-full-access'] as const;
export type Sandbox = (typeof sandboxes)[number];

export function isSandbox(value: unknown): value is Sandbox {
  return sandboxes.includes(value as Sandbox);
}

/** The least of them. */
export function narrowest(first: Sandbox, ...others: readonly Sandbox[]): Sandbox {
  return others.reduce(
    (least, one) => (sandboxes.indexOf(one) < sandboxes.indexOf(least) ? one : least),
    first,
  );
}
