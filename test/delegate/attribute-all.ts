import { readdirSync } from 'node:fs';
import type { ReportedWrite } from '../../src/delegate/agents/agent.ts';
import type { Attribution } from '../../src/delegate/changes/attribution.ts';
import type { Change } from '../../src/delegate/changes/snapshot.ts';

/** Treats every change as one that the agent reported. */
export async function attributeAll(changes: readonly Change[]): Promise<Attribution> {
  return { reported: new Set(changes.map(({ path }) => path)), own: changes, parts: new Map(), others: [] };
}

/** Reports a write to every file in a folder. */
export function writeEverything(folder: string): ReportedWrite[] {
  return readdirSync(folder, { recursive: true }).map((path) => ({ path: String(path) }));
}
