import { resolveSrv, resolveTxt } from 'node:dns/promises';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';

/** Services of RFC 6764. The password is sent only to hosts that are in the passwords file, whatever the DNS answers. */
const services = [
  { name: '_caldavs._tcp', protocol: 'https', port: 443 },
  { name: '_caldav._tcp', protocol: 'http', port: 80 },
] as const;
const wellKnown = '/.well-known/caldav';

/** Finds the address of the calendar server for a mail address: from the DNS, or else from the web server of the domain. */
export async function discoverServer(mail: string, fetch: typeof globalThis.fetch): Promise<string> {
  const domain = mail.slice(mail.lastIndexOf('@') + 1).toLowerCase();
  for (const service of services) {
    const found = await lookUp(domain, service);
    if (found !== undefined) return found;
  }
  const address = `https://${domain}${wellKnown}`;
  const answer = await fetch(address, {
    method: 'PROPFIND',
    headers: { depth: '0' },
    redirect: 'manual',
  }).then(
    async ({ status, headers, body }) => {
      await body?.cancel();
      return { status, location: headers.get('location') };
    },
    (error: unknown) => ({ status: messageOf(error), location: null }),
  );
  const { status, location } = answer;
  if (location !== null) return new URL(location, address).href;
  if (status === 401 || status === 207) return address;
  throw new Failure(
    'unavailable',
    `${domain} does not say where its calendars are: there is no DNS record ${services[0].name}.${domain}, and ${address} answers "${status}". Give the address of the CalDAV server instead, such as caldavs://dav.${domain}; the help of the provider has it.`,
  );
}

async function lookUp(
  domain: string,
  { name, protocol, port: usualPort }: (typeof services)[number],
): Promise<string | undefined> {
  const records = await resolveSrv(`${name}.${domain}`).catch(() => []);
  const [best] = records.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight);
  // A dot says that the domain does not offer the service.
  if (best === undefined || best.name === '' || best.name === '.') return undefined;
  const texts = await resolveTxt(`${name}.${domain}`).catch(() => []);
  const path = texts
    .map((parts) => /^path=(\/.*)$/.exec(parts.join(''))?.[1])
    .find((one) => one !== undefined);
  const port = best.port === usualPort ? '' : `:${best.port}`;
  return `${protocol}://${best.name}${port}${path ?? '/'}`;
}
