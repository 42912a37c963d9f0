import type { Config } from '../../config.ts';
import { messageOf } from '../../json.ts';
import { isMailAddress, singleLine } from '../../single-line.ts';
import type { Finding } from '../../status/health.ts';

const title = 'Mail server';
const timeoutMs = 5000;

/** Connects and signs in like a delivery, but sends nothing. */
export async function checkMail(config: Config): Promise<readonly Finding[]> {
  const setting = config['delivery.smtp_url'];
  if (setting === undefined) return [];
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
  const from = config['delivery.mail_from'];
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
}

interface MailError extends Error {
  readonly code?: string;
  readonly response?: string;
}

async function tryToSignIn(url: string): Promise<MailError | undefined> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  });
  try {
    await transport.verify();
    return undefined;
  } catch (error) {
    return error as MailError;
  } finally {
    transport.close();
  }
}

function explain(error: MailError, { protocol, port }: URL): { detail: string; remedy: string } {
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
