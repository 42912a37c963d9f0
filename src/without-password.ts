/** Masks the password in a URL. In an invalid URL, everything that could be a password is masked. */
export function withoutPassword(address: string): string {
  const userinfo = URL.parse(address) === null ? /(:\/\/[^:/@\s]*):\S*@/ : /(:\/\/[^:/@\s]*):[^/?#\s]*@/;
  return address.replace(userinfo, '$1:(secret)@').replace(/([?&](?:ssl)?password=)[^&#\s]*/gi, '$1(secret)');
}
