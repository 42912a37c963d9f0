import { isAbsolute, posix, relative } from 'node:path';

/** Where a job may write: paths and globs below the working folder. A folder stands for all that is in it. */
export type WriteScope = readonly string[];

const guarded = new Set(['.git', '.codex', '.agents']);

/** One spelling for a path or glob, or what is wrong with it. */
export function parseWritePath(written: string, cwd: string): { path: string } | { problem: string } {
  const wrong = (problem: string) => ({ problem: `${JSON.stringify(written)} ${problem}` });
  const trimmed = written.trim();
  if (trimmed === '') return wrong('is no path');
  if (/[\\\p{Cc}]/u.test(trimmed)) return wrong('has a character that no path should have');
  if (/^[~!]/.test(trimmed)) return wrong('must be a path below the working folder');
  const below = isAbsolute(trimmed) ? relative(cwd, trimmed) || '.' : trimmed;
  if (isAbsolute(below)) return wrong('lies outside the working folder');
  const segments = posix.normalize(below.replace(/\/+$/, '')).split('/');
  if (segments.includes('..') || below.split('/').includes('..'))
    return wrong('lies outside the working folder');
  const kept = segments.find((segment) => guarded.has(segment.toLowerCase()));
  if (kept !== undefined) return wrong(`is in ${kept}, where no job may write`);
  return { path: segments.join('/') === '.' ? '**' : segments.join('/') };
}

/** Whether two jobs could write to the same file. In doubt they could; a scope that is not known covers everything. */
export function scopesOverlap(one: WriteScope, other: WriteScope): boolean {
  if (one.length === 0 || other.length === 0) return true;
  return one.some((path) => other.some((against) => meet(path.split('/'), against.split('/'))));
}

function meet([head, ...rest]: readonly string[], [against, ...others]: readonly string[]): boolean {
  if (head === undefined || against === undefined) return true;
  if (head === '**') return meet(rest, [against, ...others]) || meet([head, ...rest], others);
  if (against === '**') return meet([against, ...others], [head, ...rest]);
  return segmentsMeet(head, against) && meet(rest, others);
}

/** Compares what is fixed at both ends; what a pattern does in between is not worth knowing exactly. */
function segmentsMeet(one: string, other: string): boolean {
  const [first, second] = [fixedEnds(one), fixedEnds(other)];
  if (first === undefined && second === undefined) return one.toLowerCase() === other.toLowerCase();
  const [a, b] = [first ?? whole(one), second ?? whole(other)];
  const starts = a.start.startsWith(b.start) || b.start.startsWith(a.start);
  return starts && (a.end.endsWith(b.end) || b.end.endsWith(a.end));
}

function fixedEnds(segment: string): { start: string; end: string } | undefined {
  const from = segment.search(/[*?[{(+@!]/);
  if (from < 0) return undefined;
  return { start: segment.slice(0, from).toLowerCase(), end: /[^*?\]})]*$/.exec(segment)![0].toLowerCase() };
}

function whole(segment: string): { start: string; end: string } {
  return { start: segment.toLowerCase(), end: segment.toLowerCase() };
}
