import { useEffect, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { MoreButton } from '../shared/more-button.tsx';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';

export type Problem = ToolAnswer<'lint_prompts'>['problems'][number];

/** What lint finds in one prompt. */
export function PromptProblems({ name }: { name: string }) {
  const { changes } = useConnection();
  const returns = useReturns();
  const { value } = useLoaded(
    (client, signal) => client.tool('lint_prompts', { names: [name] }, { signal }),
    [name, changes.prompts, returns],
  );
  if (!value?.problems.length) return null;
  return <ProblemList problems={value.problems.map(({ file: _, ...problem }) => problem)} />;
}

/** What lint finds in the whole library, also in files that give no prompt. */
export function useLibraryProblems(ready: boolean): readonly Problem[] {
  const { changes } = useConnection();
  const returns = useReturns();
  const { value } = useLoaded<{ problems: readonly Problem[] }>(
    (client, signal) =>
      ready ? client.tool('lint_prompts', {}, { signal }) : Promise.resolve({ problems: [] }),
    [ready, changes.prompts, returns],
  );
  return value?.problems ?? none;
}

const none: readonly Problem[] = [];

/** Counts up when somebody comes back to the page: a text that was changed in an editor changes no list. */
function useReturns(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const returned = () => setCount((now) => now + 1);
    addEventListener('focus', returned);
    return () => removeEventListener('focus', returned);
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

/** How much is wrong, beside the name of a prompt. */
export function ProblemMark({ problems }: { problems: readonly Problem[] }) {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const label = [counted(errors, 'error'), counted(warnings, 'warning')].filter(Boolean).join(', ');
  return (
    <span class={`badge ${errors > 0 ? 'error' : 'warning'}`} role="img" aria-label={label}>
      ! {problems.length}
    </span>
  );
}

function counted(count: number, thing: string): string {
  return count === 0 ? '' : `${count} ${thing}${count === 1 ? '' : 's'}`;
}

type Listed = Omit<Problem, 'file'> & { readonly file?: string };

const atOnce = 100;

export function ProblemList({ problems }: { problems: readonly Listed[] }) {
  const [most, setMost] = useState(atOnce);
  return (
    <>
      <ul class="problems" aria-label="Problems">
        {problems.slice(0, most).map(({ file, line, severity, message }, index) => (
          <li key={index}>
            <span class={`badge ${severity}`}>{severity}</span>
            <span>
              {placeOf(file, line) && <code>{placeOf(file, line)}</code>} {message}
            </span>
          </li>
        ))}
      </ul>
      <MoreButton shown={most} all={problems.length} step={atOnce} what="problems" show={setMost} />
    </>
  );
}

function placeOf(file: string | undefined, line: number | undefined): string {
  if (file === undefined) return line === undefined ? '' : `line ${line}`;
  return line === undefined ? file : `${file}:${line}`;
}
