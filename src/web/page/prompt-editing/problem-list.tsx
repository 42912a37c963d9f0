import { useEffect, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { MoreButton } from '../shared/buttons.tsx';
import { useConnection } from '../shared/server-connection.tsx';

export type Problem = ToolAnswer<'lint_prompts'>['problems'][number];
type ListedProblem = Omit<Problem, 'file'> & { readonly file?: string };

const pageSize = 100;

export function ProblemList({ problems }: { problems: readonly ListedProblem[] }) {
  const [visible, setVisible] = useState(pageSize);
  return (
    <>
      <ul class="problems" aria-label="Problems">
        {problems.slice(0, visible).map(({ file, line, severity, message }, index) => (
          <li key={index}>
            <span class={`badge ${severity}`}>{severity}</span>
            <span>
              {formatLocation(file, line) && <code>{formatLocation(file, line)}</code>} {message}
            </span>
          </li>
        ))}
      </ul>
      <MoreButton shown={visible} all={problems.length} step={pageSize} what="problems" show={setVisible} />
    </>
  );
}

function formatLocation(file: string | undefined, line: number | undefined): string {
  if (file === undefined) return line === undefined ? '' : `line ${line}`;
  return line === undefined ? file : `${file}:${line}`;
}

/** How long somebody has to pause before the server checks what was typed. */
const pauseMs = 500;

/** What the server finds in a prompt that is not saved yet, as somebody types. */
export function useDraftProblems(record: object): readonly Problem[] {
  const { client, mayCall } = useConnection();
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const text = JSON.stringify(record);
  useEffect(() => {
    if (!mayCall('lint_prompts')) return;
    const ended = new AbortController();
    const timer = setTimeout(() => {
      const files = [{ path: 'draft.jsonl', text: `${text}\n` }];
      client.tool('lint_prompts', { files, format: 'jsonl', ...wholeList }, { signal: ended.signal }).then(
        (found) => setProblems(found.problems),
        // A check that fails must not disturb somebody who writes; saving says what is wrong.
        () => {},
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [client, text]);
  return problems;
}
