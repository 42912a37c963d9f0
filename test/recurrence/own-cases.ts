import type { Case } from './case.ts';
export const ownCases: readonly Case[] = [];
