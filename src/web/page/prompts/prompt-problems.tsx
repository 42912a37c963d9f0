import { useEffect, useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { counted } from '../controls/words.ts';
import { type Problem, ProblemList } from '../prompt-editing/problem-list.tsx';
import { useConnection, useLoaded, useTool } from '../shared/server-connection.tsx';

/** The lint problems of one prompt. */
export function PromptProblems({ name }: { name: string }) {
  const { changes } = useConnection();
  const focusCount = useFocusCount();
  const lint = { names: [name], ...wholeList };
  const { value } = useTool('lint_prompts', lint, changes.prompts, focusCount);
  if (!value?.problems.length) return null;
  return <ProblemList problems={value.problems.map(({ file: _, ...problem }) => problem)} />;
}

/** The lint problems of the whole library, including files that define no prompt. */
export function useLibraryProblems(ready: boolean): readonly Problem[] {
  const { changes } = useConnection();
  const focusCount = useFocusCount();
  const { value } = useLoaded<{ problems: readonly Problem[] }>(
    (client, signal) =>
      ready ? client.tool('lint_prompts', wholeList, { signal }) : Promise.resolve({ problems: [] }),
    [ready, changes.prompts, focusCount],
  );
  return value?.problems ?? noProblems;
}

const noProblems: readonly Problem[] = [];

/** A counter that increases when the page regains focus, because an edit outside the page may not change the list. */
function useFocusCount(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const onFocus = () => setCount((now) => now + 1);
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  }, []);
  return count;
}

export function problemsByPrompt(problems: readonly Problem[]): ReadonlyMap<string, readonly Problem[]> {
  const byPrompt = new Map<string, Problem[]>();
  for (const problem of problems)
    for (const name of problem.prompts ?? []) {
      const known = byPrompt.get(name);
      if (known === undefined) byPrompt.set(name, [problem]);
      else known.push(problem);
    }
  return byPrompt;
}

/** A badge with the number of problems, shown next to a prompt name. */
export function ProblemMark({ problems }: { problems: readonly Problem[] }) {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const label = [errors && counted(errors, 'error'), warnings && counted(warnings, 'warning')]
    .filter(Boolean)
    .join(', ');
  return (
    <span class={`badge ${errors > 0 ? 'error' : 'warning'}`} role="img" aria-label={label}>
      ! {problems.length}
    </span>
  );
}
