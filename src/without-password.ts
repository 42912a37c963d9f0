/** An address as it may be shown. Where it is written so badly that nobody can tell what is what, more is hidden, not less. */
export function withoutPassword(address: string): string {
  const userinfo = URL.parse(address) === null ? /(:\/\/[^:/@\s]*):\S*@/ : /(:\/\/[^:/@\s]*):[^/?#\s]*@/;
  return address.replace(userinfo, '$1:(secret)@').replace(/([?&](?:ssl)?password=)[^&#\s]*/gi, '$1(secret)');
}
