import type { Config } from '../../config.ts';
import { messageOf } from '../../json.ts';
import { isMailAddress, singleLine } from '../../single-line.ts';
import type { Finding } from './doctor.ts';

const title = 'Mail server';
const timeoutMs = 5000;

/** Connects and signs in as a delivery would, and sends nothing. */
export async function checkMail(config: Config): Promise<readonly Finding[]> {
  const written = config['delivery.smtp_url'];
  if (written === undefined) return [];
  const url = new URL(written);
  const trouble = await tryToSignIn(written);
  if (trouble !== undefined) {
    const { detail, remedy } = explain(trouble, url);
    return [{ title, state: 'bad', detail: `${url.host} ${detail}`, remedy }];
  }
  const findings: Finding[] = [
    {
      title,
      state: 'good',
      detail: `${url.host} answers${url.username === '' ? '' : ' and lets us sign in'}`,
    },
  ];
  const from = config['delivery.mail_from'];
  const remedy = 'set delivery.mail_from to an address of yours, like adjutant@example.com';
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

interface Trouble extends Error {
  readonly code?: string;
  readonly response?: string;
}

async function tryToSignIn(url: string): Promise<Trouble | undefined> {
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
    return error as Trouble;
  } finally {
    transport.close();
  }
}

function explain(error: Trouble, { protocol, port }: URL): { detail: string; remedy: string } {
  const said = singleLine(error.response ?? messageOf(error));
  if (error.code === 'EAUTH')
    return {
      detail: `does not let us sign in: ${said}`,
      remedy:
        'correct USER:PASSWORD in delivery.smtp_url (% codes for special characters); many providers want a password made for programs',
    };
  if (/wrong version number/i.test(said))
    return {
      detail: 'does not speak TLS from the start',
      remedy: 'write smtp:// instead of smtps://; encryption is switched to where the server offers it',
    };
  if (error.code === 'ETLS' || /certificate|\bSSL\b|\bTLS\b|altnames/i.test(said))
    return {
      detail: `has a problem with TLS: ${said}`,
      remedy:
        'use the name that its certificate is for, renew the certificate, or name your own authority in NODE_EXTRA_CA_CERTS',
    };
  if (error.code === 'EDNS')
    return { detail: 'is not known', remedy: 'check the name in delivery.smtp_url, and the network' };
  if (/ECONNREFUSED/.test(said))
    return {
      detail: 'refuses the connection',
      remedy:
        'check that it runs, and host and port in delivery.smtp_url (587 for smtp://, 465 for smtps://)',
    };
  if (error.code === 'ETIMEDOUT')
    return {
      detail: 'does not answer',
      remedy:
        protocol === 'smtp:'
          ? `check the port${port === '' ? '' : ` (${port})`} and the firewall; if the server wants TLS from the start, write smtps://`
          : 'check the port and the firewall',
    };
  return { detail: `says: ${said}`, remedy: 'check host and port in delivery.smtp_url' };
}
