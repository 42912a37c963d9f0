/** The public address of a path of this server. A proxy may serve everything below a path of the public URL. */
export function publicAddress(publicUrl: string, path: string): string {
  return new URL(path.replace(/^\//, ''), publicUrl.replace(/\/?$/, '/')).href;
}
