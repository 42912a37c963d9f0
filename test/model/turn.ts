/** What the model does in one turn. A task may carry its own turns, so that one model serves many runs at once. */
export type Turn =
  | { readonly say: string; readonly afterMs?: number }
  | { readonly shell: string; readonly timeoutMs?: number }
  | { readonly tool: string; readonly server?: string; readonly arguments?: object }
  | { readonly status: number; readonly message?: string }
  | { readonly refuse: string; readonly message?: string }
  | { readonly hang: true }
  | { readonly cut: true };

export const fine: Turn = {
  say: JSON.stringify({ summary: 'Done.', deliverables: [], open_questions: [], next_actions: [] }),
};

/** The text that makes the model do these turns, to be put into a task. */
export function script(...turns: readonly Turn[]): string {
  return `<<turns ${Buffer.from(JSON.stringify(turns)).toString('base64url')}>>`;
}

/** The turn a conversation has come to: the script of its last task, as many steps on as tools have answered. */
export function turnOf(task: string, step: number): Turn {
  const written = /<<turns ([\w-]+)>>/.exec(task)?.[1];
  if (written === undefined) return fine;
  const turns = JSON.parse(Buffer.from(written, 'base64url').toString()) as Turn[];
  return turns[step] ?? fine;
}

/** An answer of the shape every sub-agent is asked for. */
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
