import { singleLine } from '../../single-line.ts';

/** The rest of a longer text is not even searched for links. */
const maxReadLength = 10_000;

/** One line of a text that a model wrote, without links. Every such text passes here before a person can read it. */
export function modelLine(text: string, maxLength?: number): string {
  return singleLine(withoutLinks(text.slice(0, maxReadLength)), maxLength);
}

/** A text of several lines that a model wrote, without links. */
export function modelText(text: string, maxLength: number): string {
  const lines = text
    .slice(0, maxReadLength)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => modelLine(line, maxLength));
  const joined = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return joined.length <= maxLength ? joined : `${[...joined].slice(0, maxLength - 1).join('')}…`;
}

const host = String.raw`(?:[\p{L}\p{N}][\p{L}\p{N}\p{M}-]{0,62}\.){1,10}\p{L}[\p{L}\p{N}\p{M}-]{1,62}`;
/** What a mail program or a phone turns into a link. */
const linkPatterns = [
  /[a-z][a-z0-9+.-]{1,20}:[/\\]/iu,
  /\b(?:callto|data|facetime|ftp|geo|https?|intent|javascript|magnet|mailto|sip|sips|skype|sms|tel|tg|whatsapp|xmpp):[^\s]/iu,
  /\bwww\d?\./iu,
  // A host or an address of a machine with a port, a path or a query.
  new RegExp(`${host}(?::\\d|[/\\\\]|[?#]\\S)`, 'u'),
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?[/?#]/u,
];

/**
 * Removes links, so that the text of a model cannot put a link into our messages. A mere name of a host, also in a mail address,
 * gets a space after each dot: it is no link any more, and may have been the end of a sentence, a file or a calendar.
 */
function withoutLinks(text: string): string {
  return text.replaceAll(/\S+/gu, (word) => {
    // Invisible characters must not hide a link.
    const visible = word.replaceAll(/\p{Cf}/gu, '');
    if (linkPatterns.some((pattern) => pattern.test(visible))) return '(link removed)';
    return word.replaceAll(/(?<=[\p{L}\p{N}\p{M}])\.(?=\p{L}[\p{L}\p{N}\p{M}-])/gu, '. ');
  });
}
