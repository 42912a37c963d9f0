import { messageOf } from '../../json.ts';
import type { Channel, Outcome } from './channel.ts';
import { composeMail } from './mail.ts';

export interface SmtpOptions {
  /** `smtp://user:password@host:port` or `smtps://…`. */
  readonly url: string;
  readonly from: string;
  /** How long the server may be silent. */
  readonly timeoutMs?: number;
}

/** Mail through an SMTP server, over a few connections that are kept. */
export function createSmtpChannel({ url, from, timeoutMs = 20_000 }: SmtpOptions): Channel {
  const connect = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url,
      pool: true,
      maxConnections: 4,
      // Whether to try again is decided where it is recorded.
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

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

function outcomeOf(error: SmtpError, handedOver: boolean): Outcome {
  const detail = error.response ?? messageOf(error);
  const { code, responseCode } = error;
  // A wrong password is ours to mend, not the recipient's fault: it is tried again.
  if (code === 'EAUTH') return { kind: 'temporary', detail: `signing in failed: ${detail}` };
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
