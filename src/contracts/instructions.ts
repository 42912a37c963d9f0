/** A section of the instructions. It is included if the tool is available. */
interface Topic {
  readonly tool: string;
  readonly purpose: string;
  readonly text: string;
}

/** Most important first, because clients may truncate the text. */
const topics: readonly Topic[] = [
  {
    tool: 'expand_prompt',
    purpose: "serves the user's prompt library",
    text: [
      'Prompt commands: a user message that begins with :name, such as ":research tidal power", invokes a prompt.',
      'You MUST call expand_prompt before anything else, with the name without its colon as command ("research") and the rest of the message unchanged, quotes included, as input ("tidal power").',
      'Then follow the returned prompt as if the user had written it. Never answer such a message directly, and never guess what a command means.',
      'If there is no such prompt, look with search_prompts or list_prompts and tell the user. When the user asks to save, change or reuse a prompt, use create_prompt and update_prompt.',
    ].join(' '),
  },
  {
    tool: 'delegate_run',
    purpose: 'runs sub-agents',
    text: [
      'Delegation: use delegate_run for a self-contained task that takes many steps or deserves a fresh context, such as a review, research in a large code base, or a separate change.',
      'Describe the whole task; the sub-agent does not see this conversation. Use delegate_autopilot for a large task with independent parts, and delegate_resume for a follow-up.',
      'Do simple questions and small edits yourself. If a run is still in progress when its call returns, get its result with collect_run; show_run and tail_run report on it, cancel_run ends it.',
    ].join(' '),
  },
  {
    tool: 'list_events',
    purpose: 'manages calendars with notifications',
    text: [
      'Calendar: find the person with list_users first. list_events reads events, create_event and update_event change them, import_calendar and add_calendar bring in calendars.',
      'plan_notifications decides when and how the person is reminded; list_notifications shows what is planned.',
    ].join(' '),
  },
];

/** What a model must know in advance, because some clients load tool descriptions only on demand. */
export function instructionsFor(tools: ReadonlySet<string>): string | undefined {
  const present = topics.filter(({ tool }) => tools.has(tool));
  if (present.length === 0) return undefined;
  const purposes = present.map(({ purpose }) => purpose);
  const last = purposes.pop();
  const summary = purposes.length > 0 ? `${purposes.join(', ')} and ${last}` : last;
  return [`Adjutant ${summary}.`, ...present.map(({ text }) => text)].join('\n\n');
}
