import { openLocalClient } from '../client/local-client.ts';
import { toolArguments, warningLines } from '../client/tool-command.ts';
import { single, text } from '../terminal/command.ts';
import { fitted } from '../terminal/wrap.ts';

const flags = {
  urgency: text('URGENCY', 'silent, normal or important; important also calls, until it is confirmed'),
  'quiet-hours': text('MODE', 'In quiet hours: delay, silent or ignore; delay, unless given'),
};

export const send = single('send', {
  summary: 'Send somebody a message now',
  args: 'PERSON TEXT…',
  notes: {
    PERSON: 'an id, a name or a mail address; me for yourself',
    TEXT: 'what to say; the first line is the subject',
  },
  flags,
  examples: ['send ada "Build finished"', 'send me "The backup is done" --urgency silent'],
  async run({ loaded, flags: given, words: [who = '', ...said], terminal }) {
    await using client = await openLocalClient(loaded, terminal);
    const { value } = await client.call('send_message', {
      who,
      text: said.join(' '),
      ...toolArguments(given, flags),
    });
    terminal.report(value, () =>
      fitted(
        [`✓ ${value.user_id}: by ${value.channel}, ${value.when}`, ...warningLines(value.warnings)].join(
          '\n',
        ),
        terminal,
      ),
    );
    return 0;
  },
});
