/** Name that marks the demo's folder. */
export const mark = 'demo';

export const commandFiles: Readonly<Record<string, string>> = {
  'demo-research.md': `---
description: Research a topic and summarize it.
tags: [demo, research]
---
Research the topic below. Give

- a summary of three to five sentences,
- the three most important findings,
- open questions.

Topic: {{input}}
`,
  'demo-minutes.md': `---
description: Turn rough notes into minutes.
tags: [demo, writing]
---
Turn these notes into minutes: who was there, what was decided, who does what by when.

{{input}}
`,
};

export const libraryFiles: Readonly<Record<string, string>> = {
  'twig.toml': `[prompts.review]
description = "Review a change with a checklist that fits the language"

[[prompts.review.arguments]]
name = "diff"
description = "The change, as a patch"
required = true

[[prompts.review.arguments]]
name = "language"
description = "Language of the code"
values = ["TypeScript", "Rust", "Go", "Python"]

[[prompts.review.arguments]]
name = "strictness"
description = "How strict the review is"
values = ["friendly", "thorough", "strict"]
`,
  'prompts/review.md': `{% set language = language or "its language" -%}
Review this change to code in {{ language }}{% if strictness %}. Be {{ strictness }}{% endif %}.

{% for point in ["Is it correct?", "Is it simple?", "Is it tested?"] -%}
{{ loop.index }}. {{ point }}
{% endfor %}
{{ diff }}
`,
};

export const user = {
  id: 'demo-ada',
  name: 'Ada (sample)',
  email: 'ada@example.com',
  timezone: 'Europe/Berlin',
  quiet_start: '21:00',
  quiet_end: '07:00',
  channel_pref: 'email',
} as const;

interface SampleEvent {
  readonly id: string;
  readonly title: string;
  /** Days from today and hour of the day, in UTC. */
  readonly day: number;
  readonly hour: number;
  readonly hours: number;
  readonly location?: string;
  readonly organizer?: string;
  readonly description?: string;
}

export const events: readonly SampleEvent[] = [
  { id: 'demo-standup', title: 'Stand-up', day: 1, hour: 8, hours: 0.5, location: 'Room 3' },
  { id: 'demo-review', title: 'Design review', day: 1, hour: 12, hours: 1.5, organizer: 'grace@example.com' },
  { id: 'demo-dentist', title: 'Dentist', day: 2, hour: 6, hours: 1, location: 'Main Street 5' },
  { id: 'demo-lunch', title: 'Lunch with Charles', day: 3, hour: 11, hours: 1, location: 'The Engine' },
  { id: 'demo-train', title: 'Train to Hamburg', day: 4, hour: 5, hours: 2, description: 'Coach 7, seat 42' },
  { id: 'demo-concert', title: 'Concert', day: 5, hour: 19, hours: 2.5, location: 'Philharmonic Hall' },
];

/** Autopilot recognizes that a question needs no sub-agent, so this run works without an account. */
export const question = 'What is the difference between a prompt and a skill?';
