import { useEffect, useState } from 'preact/hooks';
import type { McpError } from './mcp-client.ts';
import { asError, useConnection } from './server-connection.tsx';

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

interface PromptList {
  readonly prompts: readonly Prompt[];
  /** Whether every page has arrived. */
  readonly complete: boolean;
  readonly error: McpError | undefined;
}

/** The whole catalogue, its first page as soon as it is there, read again whenever the server says that it changed. */
export function usePrompts(): PromptList {
  const { client, changes } = useConnection();
  const [list, setList] = useState<PromptList>({ prompts: [], complete: false, error: undefined });
  useEffect(() => {
    const ended = new AbortController();
    let latest: readonly Prompt[] = [];
    const seen = (prompts: readonly Prompt[]) => {
      latest = prompts;
      // On a re-read the old list stays until the new one is whole.
      setList((old) => (old.complete ? old : { ...old, prompts }));
    };
    client.all<Prompt>('prompts/list', 'prompts', seen, ended.signal).then(
      () => !ended.signal.aborted && setList({ prompts: latest, complete: true, error: undefined }),
      (error) => !ended.signal.aborted && setList((old) => ({ ...old, error: asError(error) })),
    );
    return () => ended.abort();
  }, [client, changes.prompts]);
  return list;
}

/** Where it comes from; what the server itself brings has no source. */
export function sourceOf(prompt: Prompt): string {
  return String(prompt._meta?.['adjutant/source'] ?? 'server');
}

export function tagsOf(prompt: Prompt): readonly string[] {
  const tags = prompt._meta?.['adjutant/tags'];
  return Array.isArray(tags) ? tags.map(String) : [];
}

/** The prompts that have every word of the query, those with it in their name first. `#word` asks for a tag. */
export function rankPrompts(prompts: readonly Prompt[], query: string): readonly Prompt[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return prompts;
  const scored: { prompt: Prompt; score: number }[] = [];
  for (const prompt of prompts) {
    let score = 0;
    for (const word of words) {
      const found = scoreWord(prompt, word);
      if (found === 0) {
        score = 0;
        break;
      }
      score += found;
    }
    if (score > 0) scored.push({ prompt, score });
  }
  return scored.sort((a, b) => b.score - a.score).map(({ prompt }) => prompt);
}

function scoreWord(prompt: Prompt, word: string): number {
  if (word.startsWith('#'))
    return tagsOf(prompt).some((tag) => `#${tag.toLowerCase()}`.startsWith(word)) ? 5 : 0;
  const name = prompt.name.toLowerCase();
  if (name === word) return 100;
  if (name.startsWith(word)) return 50;
  if (name.includes(word)) return 20;
  if (prompt.title?.toLowerCase().includes(word)) return 15;
  if (tagsOf(prompt).some((tag) => tag.toLowerCase() === word)) return 10;
  return prompt.description?.toLowerCase().includes(word) ? 5 : 0;
}
