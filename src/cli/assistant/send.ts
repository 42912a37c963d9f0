import { toolAction, warningLines } from '../client/tool-command.ts';
import { single, text } from '../terminal/command.ts';
import { fitted } from '../terminal/wrap.ts';

export const send = single(
  'send',
  toolAction({
    tool: 'send_message',
    summary: 'Send somebody a message now',
    args: 'PERSON TEXT…',
    words: ['who', 'text…'],
    notes: {
      PERSON: 'an id, a name or a mail address; me for yourself',
      TEXT: 'what to say; the first line is the subject',
    },
    flags: {
      urgency: text('URGENCY', 'silent, normal or important; important also calls, until it is confirmed'),
      'quiet-hours': text('MODE', 'In quiet hours: delay, silent or ignore; delay, unless given'),
    },
    examples: ['send ada "Build finished"', 'send me "The backup is done" --urgency silent'],
    changes: true,
    show: ({ user_id, channel, when, warnings }, terminal) =>
      fitted([`✓ ${user_id}: by ${channel}, ${when}`, ...warningLines(warnings)].join('\n'), terminal),
  }),
);
