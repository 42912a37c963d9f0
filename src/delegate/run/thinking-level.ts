/** Difficulty of a job. The settings map each level to a model and a reasoning effort. */
export const thinkingLevels = ['low', 'medium', 'high'] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];
