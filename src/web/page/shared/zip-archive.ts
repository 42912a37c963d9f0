import { makeZip } from 'client-zip';

export interface ArchivedFile {
  readonly path: string;
  readonly text: string;
}

/** Packs text files into a ZIP archive, which every desktop system can open. */
export function zipArchive(files: readonly ArchivedFile[]): Promise<Blob> {
  const stream = makeZip(files.map(({ path, text }) => ({ name: path, input: text })));
  return new Response(stream, { headers: { 'content-type': 'application/zip' } }).blob();
}
