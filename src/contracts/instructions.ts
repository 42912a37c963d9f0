/** A section of the instructions. It is included if one of the tools is available. */
interface Topic {
  readonly tools: readonly string[];
  readonly purpose?: string;
  /** A sentence is included if every tool that it names is available. */
  readonly sentences: readonly string[];
}

/** Most important first, because clients may truncate the text. */
const topics: readonly Topic[] = [
  {
    tools: ['expand_prompt'],
    purpose: "serves the user's prompt library",
    sentences: [
      'Prompt commands: a user message that begins with :name, such as ":research tidal power", invokes a prompt.',
      'You MUST call expand_prompt before anything else, with the name without its colon as command ("research") and the rest of the message unchanged, quotes included, as input ("tidal power").',
      'Then follow the returned prompt as if the user had written it. Never answer such a message directly or guess what a command means.',
      'If there is no such prompt, look with search_prompts or list_prompts and tell the user.',
    ],
  },
  {
    tools: ['search_tools'],
    sentences: [
      'Further tools: few are listed. Find the others with search_tools before you say that something is not possible.',
      'Call them with query_tool if they only read.',
      'Otherwise use call_tool.',
      'Settings and tokens have no tool: `adjutant open`.',
    ],
  },
  {
    tools: ['create_prompt'],
    purpose: 'edits prompts',
    sentences: ['When the user asks to save, change or reuse a prompt, use create_prompt and update_prompt.'],
  },
  {
    tools: ['delegate_run'],
    purpose: 'runs sub-agents',
    sentences: [
      'Delegation: use delegate_run for a self-contained task of many steps, such as a review or research. Describe the whole task; the sub-agent does not see this conversation.',
      'Use delegate_autopilot for independent parts, delegate_resume for a follow-up.',
      'Do simple questions and small edits yourself.',
      'If a run is still in progress when its call returns, get its result with collect_run.',
    ],
  },
  {
    tools: ['list_runs'],
    purpose: 'reports on runs of sub-agents',
    sentences: ['Runs: list_runs finds them, show_run and tail_run report on one.', 'cancel_run ends a run.'],
  },
  { tools: ['create_routine'], purpose: 'starts them at set times', sentences: [] },
  {
    tools: ['list_events'],
    purpose: 'manages calendars',
    sentences: [
      'Calendar: list_events reads events.',
      'Calls that name nobody mean the user.',
      'create_event and update_event change events, add_calendar brings in calendars.',
    ],
  },
  {
    tools: ['list_notifications'],
    purpose: 'plans notifications',
    sentences: ['Notifications: list_notifications shows what is planned.'],
  },
  {
    tools: ['get_user'],
    purpose: 'stores how people want to be notified',
    sentences: ['People: update_user changes quiet hours and preferred channels.'],
  },
  {
    tools: ['list_inbox'],
    purpose: 'lists what waits for the user',
    sentences: ['Inbox: list_inbox shows what needs the user, who alone decides.'],
  },
  { tools: ['server_status'], purpose: 'reports its own state', sentences: [] },
];

/** What a model must know in advance, because some clients load tool descriptions only on demand. */
export function instructionsFor(tools: Pick<ReadonlySet<string>, 'has'>): string | undefined {
  const available = (sentence: string) =>
    (sentence.match(/\b[a-z]+_[a-z_]+\b/g) ?? []).every((name) => tools.has(name));
  const present = topics.filter((topic) => topic.tools.some((name) => tools.has(name)));
  const purposes = present.flatMap(({ purpose }) => purpose ?? []);
  const last = purposes.pop();
  if (last === undefined) return undefined;
  const summary = purposes.length > 0 ? `${purposes.join(', ')} and ${last}` : last;
  return [
    `Adjutant ${summary}.`,
    ...present.map(({ sentences }) => sentences.filter(available).join(' ')).filter((text) => text !== ''),
  ].join('\n\n');
}
