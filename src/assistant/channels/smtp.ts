import { Lazy } from '../../awaitable.ts';
import { messageOf } from '../../json.ts';
import type { Channel, Outcome } from './channel.ts';
import { composeMail } from './mail.ts';

export interface SmtpOptions {
  /** `smtp://user:password@host:port` or `smtps://…`. */
  readonly url: string;
  readonly from: string;
  /** Time limit for connecting, for the greeting and for an idle socket. */
  readonly timeoutMs?: number;
}

/** Sends email through an SMTP server, over a small connection pool. */
export function createSmtpChannel({ url, from, timeoutMs = 20_000 }: SmtpOptions): Channel {
  const transport = new Lazy(async () => {
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
  });

  return {
    async deliver(message, signal) {
      const mail = await composeMail(message, from);
      if ('refusal' in mail) return { kind: 'permanent', detail: mail.refusal };
      const { Readable } = await import('node:stream');
      let handedOver = false;
      const content = Readable.from([mail.content]).on('end', () => {
        handedOver = true;
      });
      const sending = (await transport.get()).sendMail({
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
      (await transport.current)?.close();
    },
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
