/** How hard a job is to think about; the settings map each level to a model and an effort. */
export const thinkingLevels = ['low', 'medium', 'high'] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];
