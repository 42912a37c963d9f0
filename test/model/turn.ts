/** What the model does in one turn. A task contains its own turns, so that one model can serve many runs at once. */
export type Turn =
  /** With `pieces`, the text is streamed in as many parts, with a pause after each. */
  | { readonly say: string; readonly afterMs?: number; readonly pieces?: number; readonly pauseMs?: number }
  | { readonly shell: string; readonly timeoutMs?: number }
  | { readonly tool: string; readonly server?: string; readonly arguments?: object }
  | { readonly status: number; readonly message?: string }
  | { readonly refuse: string; readonly message?: string }
  | { readonly hang: true }
  | { readonly cut: true };

/** The turn for a task without a script, and after the end of a script. */
export const defaultTurn: Turn = {
  say: JSON.stringify({ summary: 'Done.', deliverables: [], open_questions: [], next_actions: [] }),
};

/** Encodes turns as text for a task. */
export function script(...turns: readonly Turn[]): string {
  return `<<turns ${Buffer.from(JSON.stringify(turns)).toString('base64url')}>>`;
}

/** The current turn of a conversation, from the script in its last task. `step` counts the tool results since then. */
export function turnOf(task: string, step: number): Turn {
  const encoded = /<<turns ([\w-]+)>>/.exec(task)?.[1];
  if (encoded === undefined) return defaultTurn;
  const turns = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as Turn[];
  return turns[step] ?? defaultTurn;
}

/** A final answer in the format that every sub-agent must use. */
export function answer(fields: object = {}): Turn {
  return {
    say: JSON.stringify({
      summary: 'Done.',
      deliverables: [],
      open_questions: [],
      next_actions: [],
      ...fields,
    }),
  };
}
