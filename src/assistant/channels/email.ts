import type { Finding } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { isMailAddress, singleLine } from '../../single-line.ts';
import { defineChannel, type Message, type Outcome, type Sender } from '../sending/channel.ts';

/** Time limit for connecting, for the greeting and for an idle socket. */
const timeoutMs = 20_000;
const checkMs = 5000;

/** Email through an SMTP server. */
export const email = defineChannel({
  name: 'email',
  rank: 10,
  canBeSilent: true,
  label: 'Email',
  words: ['mail'],
  icon: '✉',
  help: 'A mail with text, HTML and the event as an attachment.',
  settings: {
    'delivery.smtp_url': {
      type: 'address',
      schemes: ['smtp', 'smtps'],
      description:
        'Mail server: smtp://USER:PASSWORD@HOST:PORT or smtps://. Without it, emails go to the outbox.',
    },
    'delivery.mail_from': {
      type: 'string',
      default: 'adjutant@localhost',
      description: 'Sender address of emails.',
    },
  },
  needs: 'delivery.smtp_url',
  address: {
    noun: 'email address',
    schemes: ['mailto'],
    example: 'mailto:ADDRESS',
    sample: 'mailto:ada@example.com',
    field: { name: 'email', input: 'email', placeholder: 'ada@example.com' },
    parse: (rest) => (isMailAddress(rest) ? rest : undefined),
    mayAllow: () => true,
  },
  advice: {
    notConfigured: 'delivery.smtp_url is not set, so no email was sent',
    unreachable: 'check delivery.smtp_url; adjutant doctor tests the login',
    refused: "check the user's address and delivery.mail_from",
  },
  // With an invalid sender every email would fail permanently.
  invalid: ({ 'delivery.mail_from': from }) =>
    isMailAddress(from)
      ? undefined
      : `delivery.mail_from must be a plain email address like adjutant@example.com, not ${JSON.stringify(from)}.`,
  connect({ 'delivery.smtp_url': url, 'delivery.mail_from': from }) {
    return url === undefined ? undefined : createSmtpSender(url, from);
  },
  async toOutbox(message, { 'delivery.mail_from': from }, save) {
    const mail = await composeMail(message, from);
    if ('refusal' in mail) return { kind: 'permanent', detail: mail.refusal };
    const { writeFile } = await import('node:fs/promises');
    return save('eml', (path) => writeFile(path, mail.content, { mode: 0o600 }));
  },
  /** Connects and signs in like a delivery, but sends nothing. */
  async check({ 'delivery.smtp_url': setting, 'delivery.mail_from': from }) {
    if (setting === undefined) return [];
    const title = 'Mail server';
    const url = new URL(setting);
    const error = await tryToSignIn(setting);
    if (error !== undefined) {
      const { detail, remedy } = explain(error, url);
      return [{ title, state: 'bad', detail: `${url.host} ${detail}`, remedy }];
    }
    const findings: Finding[] = [
      {
        title,
        state: 'good',
        detail: `${url.host} answers${url.username === '' ? '' : ' and accepts the login'}`,
      },
    ];
    const remedy = 'set delivery.mail_from to your own address, such as adjutant@example.com';
    if (!isMailAddress(from))
      findings.push({
        title: 'Sender',
        state: 'bad',
        detail: `${JSON.stringify(from)} is not a plain mail address`,
        remedy,
      });
    else if (/@localhost$/.test(from))
      findings.push({
        title: 'Sender',
        state: 'warning',
        detail: `mails come from ${from}, which many mail servers refuse`,
        remedy,
      });
    return findings;
  },
});

/** Sends over a small connection pool. */
function createSmtpSender(url: string, from: string): Sender {
  const connect = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url,
      pool: true,
      maxConnections: 4,
      // The worker decides about retries, because it records them.
      maxRequeues: 0,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    });
  };
  let transport: ReturnType<typeof connect> | undefined;

  return {
    async deliver(message, signal) {
      const mail = await composeMail(message, from);
      if ('refusal' in mail) return { kind: 'permanent', detail: mail.refusal };
      const { Readable } = await import('node:stream');
      let handedOver = false;
      const content = Readable.from([mail.content]).on('end', () => {
        handedOver = true;
      });
      transport ??= connect();
      const sending = (await transport).sendMail({
        envelope: { from: mail.from, to: mail.to },
        messageId: mail.messageId,
        raw: content,
      });
      return Promise.race([
        sending.then(
          ({ response }): Outcome => ({ kind: 'accepted', reference: mail.messageId, detail: response }),
          (error: SmtpError) => outcomeOf(error, handedOver),
        ),
        aborted(signal).then(
          (): Outcome => ({
            kind: handedOver ? 'unknown' : 'temporary',
            detail: 'the mail server took too long',
          }),
        ),
      ]);
    },
    async close() {
      (await transport)?.close();
    },
  };
}

interface Mail {
  readonly from: string;
  readonly to: string;
  readonly messageId: string;
  /** The complete message with headers, as sent over SMTP. */
  readonly content: Buffer;
}

/** Composes the email for a message, or returns the reason why it cannot be sent. */
async function composeMail(message: Message, from: string): Promise<Mail | { refusal: string }> {
  const email = message.recipient.address;
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
  const url = data['about'] === undefined ? data['acknowledge_url'] : undefined;
  return {
    'Auto-Submitted': 'auto-generated',
    'List-Id': `Adjutant reminders <reminders.${domain}>`,
    ...(typeof url === 'string' && {
      'List-Unsubscribe': `<${url}?fewer=1>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  };
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

function outcomeOf(error: SmtpError, handedOver: boolean): Outcome {
  const detail = error.response ?? messageOf(error);
  const { code, responseCode } = error;
  // A failed login is a configuration error and not the recipient's fault, so the worker retries.
  if (code === 'EAUTH') return { kind: 'temporary', detail: `login failed: ${detail}` };
  if (responseCode !== undefined && responseCode >= 500) return { kind: 'permanent', detail };
  if (responseCode !== undefined && responseCode >= 400) return { kind: 'temporary', detail };
  return { kind: handedOver ? 'unknown' : 'temporary', detail };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function tryToSignIn(url: string): Promise<SmtpError | undefined> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url,
    connectionTimeout: checkMs,
    greetingTimeout: checkMs,
    socketTimeout: checkMs,
    dnsTimeout: checkMs,
  });
  try {
    await transport.verify();
    return undefined;
  } catch (error) {
    return error as SmtpError;
  } finally {
    transport.close();
  }
}

function explain(error: SmtpError, { protocol, port }: URL): { detail: string; remedy: string } {
  const message = singleLine(error.response ?? messageOf(error));
  if (error.code === 'EAUTH')
    return {
      detail: `rejects the login: ${message}`,
      remedy:
        'correct USER:PASSWORD in delivery.smtp_url (% codes for special characters); many providers require an app password',
    };
  if (/wrong version number/i.test(message))
    return {
      detail: 'does not speak TLS from the start',
      remedy: 'write smtp:// instead of smtps://; STARTTLS is used if the server offers it',
    };
  if (error.code === 'ETLS' || /certificate|\bSSL\b|\bTLS\b|altnames/i.test(message))
    return {
      detail: `has a TLS problem: ${message}`,
      remedy:
        'use the host name of its certificate, renew the certificate, or add your own authority with NODE_EXTRA_CA_CERTS',
    };
  if (error.code === 'EDNS')
    return { detail: 'is an unknown host', remedy: 'check the host in delivery.smtp_url, and the network' };
  if (/ECONNREFUSED/.test(message))
    return {
      detail: 'refuses the connection',
      remedy:
        'check that the server is running, and the host and port in delivery.smtp_url (587 for smtp://, 465 for smtps://)',
    };
  if (error.code === 'ETIMEDOUT')
    return {
      detail: 'does not answer',
      remedy:
        protocol === 'smtp:'
          ? `check the port${port === '' ? '' : ` (${port})`} and the firewall; if the server expects TLS from the start, write smtps://`
          : 'check the port and the firewall',
    };
  return { detail: `answers: ${message}`, remedy: 'check host and port in delivery.smtp_url' };
}
