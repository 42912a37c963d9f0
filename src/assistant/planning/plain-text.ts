import { xml } from '../../message-page.ts';
import { singleLine } from '../../single-line.ts';

export function plainText(text: string, maxLength: number): string {
  const lines = withoutLinks(text)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => singleLine(line, maxLength));
  const joined = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return joined.length <= maxLength ? joined : `${[...joined].slice(0, maxLength - 1).join('')}…`;
}

/** Removes links, so that text from outside cannot put a link into our messages. */
export function withoutLinks(text: string): string {
  return text
    .replace(/(?:\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.|\bmailto:|\btel:)\S*/gi, '(link removed)')
    .replace(/(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}\/\S*/gi, '(link removed)');
}

const rightToLeft = /^(ar|fa|he|ur)\b/;

/** The lines of a message as HTML that follows the light or dark theme of the mail program. */
export function messageHtml(locale: string, lines: readonly string[], link = ''): string {
  const body = lines
    .map((line) => {
      const label = link !== '' && line.endsWith(`: ${link}`) ? line.slice(0, -link.length) : undefined;
      return label === undefined ? xml(line) : `${xml(label)}<a href="${xml(link)}">${xml(link)}</a>`;
    })
    .join('<br>\n')
    .replaceAll('<br>\n<br>\n', '</p>\n<p>');
  const direction = rightToLeft.test(locale) ? 'rtl' : 'ltr';
  return `<!doctype html>
<html lang="${xml(locale)}" dir="${direction}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40em}</style></head><body><p>${body}</p></body></html>
`;
}
