import { useConnection, useLoaded } from './server-connection.tsx';

export interface Problem {
  readonly file: string;
  readonly line?: number;
  readonly severity: string;
  readonly message: string;
}

/** What lint finds in one prompt. */
export function PromptProblems({ name }: { name: string }) {
  const { changes } = useConnection();
  const { value } = useLoaded<{ problems: readonly Problem[] }>(
    (client, signal) => client.tool('lint_prompts', { names: [name] }, { signal }),
    [name, changes.prompts],
  );
  if (!value?.problems.length) return null;
  return <ProblemList problems={value.problems.map(({ file: _, ...problem }) => problem)} />;
}

/** What lint finds in the whole library, also in files that give no prompt. */
export function useLibraryProblems(ready: boolean): readonly Problem[] {
  const { changes } = useConnection();
  const { value } = useLoaded<{ problems: readonly Problem[] }>(
    (client, signal) =>
      ready ? client.tool('lint_prompts', {}, { signal }) : Promise.resolve({ problems: [] }),
    [ready, changes.prompts],
  );
  return value?.problems ?? [];
}

type Listed = Omit<Problem, 'file'> & { readonly file?: string };

export function ProblemList({ problems }: { problems: readonly Listed[] }) {
  return (
    <ul class="problems" aria-label="Problems">
      {problems.map(({ file, line, severity, message }, index) => (
        <li key={index}>
          <span class={`badge ${severity}`}>{severity}</span>
          <span>
            {placeOf(file, line) && <code>{placeOf(file, line)}</code>} {message}
          </span>
        </li>
      ))}
    </ul>
  );
}

function placeOf(file: string | undefined, line: number | undefined): string {
  if (file === undefined) return line === undefined ? '' : `line ${line}`;
  return line === undefined ? file : `${file}:${line}`;
}
