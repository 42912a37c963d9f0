import type { ServerResponse } from 'node:http';

const entities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for XML and HTML. */
export function xml(text: string): string {
  return text.replace(/[^\t\n\r\P{C}]/gu, ' ').replace(/[<>&"']/g, (character) => entities[character]!);
}

/** The text that was escaped. */
export function fromXml(escaped: string): string {
  return escaped.replace(/&\w+;/g, (entity) => {
    const [character = entity] = Object.keys(entities).filter((one) => entities[one] === entity);
    return character;
  });
}

interface PageOptions {
  readonly locale?: string;
  /** Markup below the text. */
  readonly more?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a page with one text, for a person whose browser opened a link. */
export function sendMessagePage(
  response: ServerResponse,
  status: number,
  text: string,
  { locale = 'en', more = '', headers = {} }: PageOptions = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(
      `<!doctype html>\n<html lang="${xml(locale)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Adjutant</title></head><body><main><h1>Adjutant</h1><p>${xml(text)}</p>${more}</main></body></html>\n`,
    );
}

/** True if a person opened the address in a browser. Programs do not ask for HTML. */
export function isForBrowser({ req }: ServerResponse): boolean {
  return /\btext\/html\b/.test(req.headers.accept ?? '');
}
