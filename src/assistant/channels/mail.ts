import { isMailAddress, singleLine } from '../../single-line.ts';
import type { Message } from './channel.ts';

export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly messageId: string;
  /** The complete message with headers, as sent over SMTP. */
  readonly content: Buffer;
}

/** Composes the email for a message, or returns the reason why it cannot be sent. */
export async function composeMail(message: Message, from: string): Promise<Mail | { refusal: string }> {
  const { email } = message.recipient;
  if (email === undefined || email === '') return { refusal: 'the user has no email address' };
  if (!isMailAddress(email))
    return { refusal: `the user's email address ${JSON.stringify(email)} is not valid` };
  if (!isMailAddress(from))
    return { refusal: `the sender ${JSON.stringify(from)} is not a valid email address` };
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  // The same in every attempt, so that mail clients can recognize a duplicate.
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const messageId = `<${encodeURIComponent(message.id)}@${domain}>`;
  const composer = new MailComposer({
    from: { name: 'Adjutant', address: from },
    to: { name: singleLine(message.recipient.name), address: email },
    subject: singleLine(message.subject),
    text: message.text,
    html: message.html,
    messageId,
    date: message.sentAt,
    headers: headersOf(message, domain),
    ...(message.thread !== undefined && { references: `<${message.thread}@${domain}>` }),
    ...(message.urgency === 'urgent' && { priority: 'high' as const }),
    ...(message.calendar !== undefined && {
      attachments: [
        { filename: 'event.ics', content: message.calendar, contentType: 'text/calendar; charset=utf-8' },
      ],
    }),
    newline: '\r\n',
    // Message content must not make nodemailer read local files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { from, to: email, messageId, content: await composer.compile().build() };
}

/** Headers that tell mail programs and servers what this message is, and how to get fewer of them. */
function headersOf({ data }: Message, domain: string): Record<string, string> {
  const url = data['acknowledge_url'];
  return {
    'Auto-Submitted': 'auto-generated',
    'List-Id': `Adjutant reminders <reminders.${domain}>`,
    ...(typeof url === 'string' && {
      'List-Unsubscribe': `<${url}?fewer=1>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  };
}
