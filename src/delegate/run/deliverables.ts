import { plainPath } from '../workspace/evidence.ts';
import { asAnswer, type Deliverable } from './answer.ts';

/** Agents can report a file several times, for example once for each change. */
export function withUniqueDeliverables(value: unknown, cwd: string): unknown {
  const answer = asAnswer(value);
  if (answer === undefined) return value;
  return { ...answer, deliverables: uniqueDeliverables(answer.deliverables, cwd) };
}

/** One entry per file, however its path was spelled, with all its descriptions. */
export function uniqueDeliverables(all: readonly Deliverable[], cwd: string): Deliverable[] {
  const byPath = new Map<string, { path: string; descriptions: string[] }>();
  for (const { path, description } of all) {
    const key = plainPath(path, cwd) ?? path;
    const known = byPath.get(key) ?? { path: key, descriptions: [] };
    byPath.set(key, known);
    const text = description.trim();
    if (text !== '' && !known.descriptions.some((one) => normalize(one) === normalize(text)))
      known.descriptions.push(text);
  }
  return [...byPath.values()].map(({ path, descriptions }) => ({
    path,
    description: descriptions.join('; '),
  }));
}

/** Texts that differ only in case, spacing or final punctuation count as equal. */
export function normalize(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/[.!]+$/, '')
    .toLowerCase();
}
