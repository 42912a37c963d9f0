import { isMailAddress, isPhoneNumber } from '../../single-line.ts';
import type { Channel } from '../../store/schema.ts';

/** Services of the program apprise that users may choose. Those with `true` name a server of their own. */
const appriseSchemes: Readonly<Record<string, boolean>> = {
  slack: false,
  discord: false,
  msteams: false,
  twilio: false,
  whatsapp: false,
  pover: false,
  pbul: false,
  matrix: true,
  matrixs: true,
  mmost: true,
  mmosts: true,
  rocket: true,
  rockets: true,
  gotify: true,
  gotifys: true,
  signal: true,
  signals: true,
  json: true,
  jsons: true,
};

/** An address of a user, written as one string such as `tgram://123456` or `mailto:ada@example.com`. */
export interface ChannelAddress {
  readonly channel: Channel;
  readonly address: string;
  /** Server that the address names, if it is not a fixed service. */
  readonly host?: string;
}

/** Parses an address, or returns undefined if its scheme is not allowed or its value is invalid. */
export function parseAddress(written: string): ChannelAddress | undefined {
  const [, scheme = '', rest = ''] = /^([a-z]+):(?:\/\/)?(\S{1,1000})$/.exec(written) ?? [];
  if (scheme === 'mailto') return isMailAddress(rest) ? { channel: 'email', address: rest } : undefined;
  if (scheme === 'tel') return isPhoneNumber(rest) ? { channel: 'call', address: rest } : undefined;
  if (scheme === 'https' || scheme === 'http')
    return URL.canParse(written) ? { channel: 'webhook', address: written } : undefined;
  if (scheme === 'ntfy') return /^[\w-]{1,64}$/.test(rest) ? { channel: 'ntfy', address: rest } : undefined;
  if (scheme === 'tgram')
    return /^-?\d{1,20}$/.test(rest) ? { channel: 'telegram', address: rest } : undefined;
  const ownServer = appriseSchemes[scheme];
  if (ownServer === undefined) return undefined;
  if (!ownServer) return { channel: 'apprise', address: written };
  const host = URL.parse(`http://${rest.replace(/#/g, '%23')}`)?.hostname;
  return host ? { channel: 'apprise', address: written, host } : undefined;
}

export const allowedSchemes: readonly string[] = [
  ...['mailto', 'tel', 'https', 'ntfy', 'tgram'],
  ...Object.keys(appriseSchemes),
];

/** The address without secrets, for results and logs: services show their name only. */
export function maskAddress(written: string): string {
  const parsed = parseAddress(written);
  return parsed?.channel === 'apprise' ? `${written.split(':')[0]}://…` : written;
}

/** All addresses of a list, by channel. */
export function addressesOf(channels: string | null): readonly ChannelAddress[] {
  const list = channels === null ? [] : (JSON.parse(channels) as string[]);
  return list.flatMap((written) => parseAddress(written) ?? []);
}
