import { xml } from '../../message-page.ts';

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
