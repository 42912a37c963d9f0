import type { ToolAnswer } from '../../api.ts';
import { Failure } from '../../failure.ts';
import { inCommandWords } from '../client/command-words.ts';
import { openLocalClient } from '../client/local-client.ts';
import { toolArguments } from '../client/tool-command.ts';
import { single, text, UsageError } from '../terminal/command.ts';

/** A sentence without quotes can end with this many words about the time. */
const maxTimeWords = 8;

const flags = {
  repeat: text('RULE', 'How it repeats, such as "every monday"; the time is then the first one'),
  who: text('PERSON', 'Whom to remind; you, unless given'),
};

export const remind = single('remind', {
  summary: 'Set a reminder',
  args: 'TEXT WHEN…',
  notes: { WHEN: 'Such as tomorrow 18:00, in 10 minutes or every weekday at 7' },
  flags,
  examples: ['remind "call mum" tomorrow 18:00', 'remind me in 10 minutes to stretch'],
  async run({ loaded, flags: given, words, terminal }) {
    const readings = readingsOf(words);
    if (readings.length === 0)
      throw new UsageError('say what and when, for example: adjutant remind "call mum" tomorrow 18:00');
    await using client = await openLocalClient(loaded, terminal);
    let refusal: unknown;
    for (const reading of readings) {
      try {
        const { value } = await client.call('remind', { ...reading, ...toolArguments(given, flags) });
        terminal.report(value, () => show(value));
        return 0;
      } catch (error) {
        // Another place to divide the sentence may give a time.
        if (!(error instanceof Failure) || error.issues[0]?.path[0] !== 'when') throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  },
});

/** The ways to divide the words into text and time, most likely first. */
function readingsOf(words: readonly string[]): readonly { readonly text: string; readonly when: string }[] {
  const [first = '', ...others] = words;
  if (first.toLowerCase() === 'me' || first.toLowerCase() === 'to') {
    const sentence = (first.toLowerCase() === 'me' ? others : words).join(' ').trim();
    const [, when, text] = /^(.+?) (?:to|that) (.+)$/i.exec(sentence) ?? [];
    const whenFirst = when && text && !/^to\b/i.test(sentence) ? [{ text, when }] : [];
    return [...whenFirst, ...endings(sentence.replace(/^(?:to|that|about) /i, '').split(' '))];
  }
  if (others.length === 0) return endings(first.split(' '));
  return [{ text: first, when: others.join(' ') }, ...(first.includes(' ') ? [] : endings(words))];
}

/** The time at the end, in as many words as possible. */
function endings(words: readonly string[]) {
  const longest = Math.min(maxTimeWords, words.length - 1);
  return Array.from({ length: Math.max(0, longest) }, (_, index) => {
    const at = words.length - (longest - index);
    return { text: words.slice(0, at).join(' '), when: words.slice(at).join(' ') };
  });
}

function show({
  text: what,
  when,
  repeats,
  planned = [],
  quiet_hours,
  warnings = [],
}: ToolAnswer<'remind'>): string {
  const channels = [...new Set(planned.map(({ channel }) => channel))].join(', ');
  return [
    `✓ Reminder: ${what}`,
    `  When: ${when}`,
    ...(repeats === undefined ? [] : [`  Repeats: ${repeats}`]),
    ...(channels === '' ? [] : [`  By: ${channels}`]),
    ...(quiet_hours === undefined ? [] : [`  ${quiet_hours}`]),
    ...warnings.map((warning) => `! ${inCommandWords(warning)}`),
  ].join('\n');
}
