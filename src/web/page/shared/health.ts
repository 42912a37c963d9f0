import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { pathTo } from './route.ts';
import { type Loaded, useConnection, useLoaded } from './server-connection.tsx';

type Health = ToolAnswer<'check_health'>;
export type Finding = Health['findings'][number];

/** The findings of the server's checks, and a function that checks again. */
export function useHealth(): Loaded<Health> & { readonly checking: boolean; checkAgain(): void } {
  const { changes } = useConnection();
  const [round, setRound] = useState(0);
  const { value, error } = useLoaded(
    async (client, signal) => ({ ...(await client.tool('check_health', {}, { signal })), round }),
    [round, changes.prompts],
  );
  const checking = value?.round !== round && !error;
  return { value, error, checking, checkAgain: () => setRound(round + 1) };
}

/** Where a finding can be looked at or fixed, by its title. */
const places: Readonly<Record<string, readonly [title: string, path: string]>> = {
  'Prompts and data': ['Library problems', pathTo('prompts', '+problems')],
  Reminders: ['Calendar', pathTo('calendar')],
  Clients: ['Connect a client', pathTo('prompts', '+start')],
  Codex: ['Get started', pathTo('prompts', '+start')],
  'Codex login': ['Get started', pathTo('prompts', '+start')],
  'Codex sandbox': ['Runs', pathTo('runs')],
  Database: ['Settings', pathTo('server', '+settings')],
  Folders: ['Settings', pathTo('server', '+settings')],
  Port: ['Settings', pathTo('server', '+settings')],
};

export function placeOf({ title, prompt }: Finding): readonly [title: string, path: string] {
  if (prompt !== undefined) return [prompt, pathTo('prompts', prompt)];
  return places[title] ?? ['Settings', pathTo('server', '+settings')];
}
