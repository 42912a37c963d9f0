import { useConnection, useLoaded } from './server-connection.tsx';

interface Problem {
  readonly line?: number;
  readonly column?: number;
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
  return (
    <ul class="problems" aria-label="Problems">
      {value.problems.map(({ line, column, severity, message }) => (
        <li key={`${line}:${column}:${message}`}>
          <span class={`badge ${severity}`}>{severity}</span> {line !== undefined && <code>line {line}</code>}{' '}
          {message}
        </li>
      ))}
    </ul>
  );
}
