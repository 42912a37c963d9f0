import { promises as disk } from 'node:fs';
import { resolve } from 'node:path';
import { readRegularFile } from '../../regular-file.ts';
import type { ReportedWrite } from '../agents/agent.ts';
import { plainPath } from './evidence.ts';
import type { Change } from './snapshot.ts';

/** The changes of a folder, divided into what the agent reported writing and everything else. */
export interface Attribution {
  /** Paths that the agent reported writing, and that are changed. */
  readonly reported: ReadonlySet<string>;
  /** Changes that consist of reported writes alone. */
  readonly own: readonly Change[];
  /** The content that reported writes alone would have produced, for files that were changed in other ways too. */
  readonly parts: ReadonlyMap<string, string>;
  /** Changes that the agent did not report, or not in full: those of its commands, and those of other people. */
  readonly others: readonly Change[];
}

/** Stands for content that was not kept. */
export const unknown = Symbol('unknown');
/** Stands for edits that do not fit the content they are applied to. */
const conflict = Symbol('conflict');

type Edit = NonNullable<ReportedWrite['edit']>;
/** The content of a file; `undefined` if there is no file. */
type Content = string | undefined;

/** Returns the contents of files before the run. */
export type ReadBefore = (paths: readonly string[]) => Promise<(path: string) => Content | typeof unknown>;

/** A longer edit is not searched for, because that would take seconds. */
const maxEditLength = 5_000;

/** Compares the changes of a folder with the writes that the agent reported. */
export async function attribute(
  changes: readonly Change[],
  writes: readonly ReportedWrite[],
  cwd: string,
  readBefore: ReadBefore,
): Promise<Attribution> {
  const byPath = await groupByPath(writes, cwd);
  const hasEdits = ({ path }: Change) => byPath.get(path)?.every(({ edit }) => edit !== undefined) === true;
  const edited = changes.filter(hasEdits).map(({ path }) => path);
  const nothing = (): typeof unknown => unknown;
  const contentBefore = edited.length === 0 ? nothing : await readBefore(edited);
  const reported = new Set<string>();
  const own: Change[] = [];
  const parts = new Map<string, string>();
  const others: Change[] = [];
  for (const change of changes) {
    const edits = byPath.get(change.path);
    if (edits === undefined) {
      others.push(change);
      continue;
    }
    reported.add(change.path);
    const written = hasEdits(change) ? await replay(contentBefore(change.path), edits) : unknown;
    // Without the edits, only the path can be compared.
    if (
      written === unknown ||
      (written !== conflict && isSame(written, await readNow(resolve(cwd, change.path))))
    ) {
      own.push(change);
      continue;
    }
    others.push(change);
    if (typeof written === 'string') parts.set(change.path, written);
  }
  return { reported, own, parts, others };
}

/** Applies the edits to the content before the run. */
async function replay(
  before: Content | typeof unknown,
  writes: readonly ReportedWrite[],
): Promise<Content | typeof unknown | typeof conflict> {
  let text = before;
  for (const { edit } of writes) {
    if (text === unknown || edit === undefined) return unknown;
    const isWhole =
      // A recorded edit has no field for a file that did not exist.
      !('patch' in edit) && (edit.from === undefined || edit.to === undefined || edit.from === text);
    const next = isWhole ? edit.to : await applyEdit(text ?? '', edit);
    if (next === conflict) return conflict;
    text = next;
  }
  return text;
}

async function applyEdit(text: string, edit: Edit): Promise<string | typeof conflict> {
  const { applyPatch, structuredPatch } = await import('./text-edit.ts');
  const { from = '', to = '' } = 'patch' in edit ? {} : edit;
  const patch = 'patch' in edit ? edit.patch : structuredPatch('', '', from, to, '', '', { maxEditLength });
  try {
    const patched = patch === undefined ? false : applyPatch(text, patch);
    return patched === false ? conflict : patched;
  } catch {
    return conflict;
  }
}

function readNow(path: string): Promise<Content> {
  return readRegularFile(path).catch(() => undefined);
}

function isSame(one: Content, other: Content): boolean {
  return one?.replaceAll('\r\n', '\n') === other?.replaceAll('\r\n', '\n');
}

/** Agents may name a file by the real path of its folder. */
async function groupByPath(
  writes: readonly ReportedWrite[],
  cwd: string,
): Promise<ReadonlyMap<string, readonly ReportedWrite[]>> {
  const real = await disk.realpath(cwd).catch(() => cwd);
  const groups = new Map<string, ReportedWrite[]>();
  for (const write of writes) {
    const path = [cwd, real]
      .map((folder) => plainPath(resolve(folder, write.path), folder))
      .find((found) => found !== undefined && !found.startsWith('/'));
    if (path === undefined) continue;
    groups.set(path, [...(groups.get(path) ?? []), write]);
  }
  return groups;
}
