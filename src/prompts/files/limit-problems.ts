import type { Problem } from '../../feature.ts';

/** More problems help nobody, and hostile files can have millions. */
const maxPerFile = 5_000;
const maxProblems = 10_000;

/** Keeps the first problems of each file, and adds how many are missing. The problems of a file may have been limited before. */
export function limitProblems(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= maxPerFile) return problems;
  const counts = new Map<string, number>();
  const first: Problem[] = [];
  const missing = new Map<string, number>();
  for (const problem of problems) {
    const { file, omitted } = problem;
    if (omitted !== undefined) {
      missing.set(file, (missing.get(file) ?? 0) + omitted);
      continue;
    }
    const count = (counts.get(file) ?? 0) + 1;
    counts.set(file, count);
    if (count <= maxPerFile && first.length < maxProblems) first.push(problem);
    else {
      // Beyond the limit for all files, one line stands for the files that follow.
      const name =
        missing.has(file) || first.length < maxProblems ? file : ([...missing.keys()].at(-1) ?? file);
      missing.set(name, (missing.get(name) ?? 0) + 1);
    }
  }
  return [
    ...first,
    ...[...missing].map(
      ([file, count]): Problem => ({
        file,
        severity: 'error',
        message: `${count} more problems are not listed`,
        omitted: count,
      }),
    ),
  ];
}

/** Runs work that may create very many errors. They get no stacks, which take far longer to create than the errors. */
export function withoutStacks<Value>(work: () => Value): Value {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
