/** When the changes of a run are applied: when it ends, when a person says so, or never, but committed to a branch. */
export const applyModes = ['auto', 'ask', 'branch'] as const;
export type ApplyMode = (typeof applyModes)[number];
