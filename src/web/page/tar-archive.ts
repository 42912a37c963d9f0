export interface ArchivedFile {
  readonly path: string;
  readonly text: string;
}

const block = 512;

/** Text files as one tar archive, in the form that every tar reads. */
export function tarArchive(files: readonly ArchivedFile[], seconds: number): Blob {
  const encoder = new TextEncoder();
  const parts = files.flatMap(({ path, text }) => {
    const content = encoder.encode(text);
    return [header(path, content.length, seconds), content, new Uint8Array(-content.length & (block - 1))];
  });
  return new Blob([...parts, new Uint8Array(2 * block)], { type: 'application/x-tar' });
}

function header(path: string, size: number, seconds: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(block);
  const write = (text: string, at: number) => bytes.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  const [folder, name] = split(path);
  write(name, 0);
  write('0000644', 100);
  write(octal(size, 11), 124);
  write(octal(Math.floor(seconds), 11), 136);
  // The sum counts its own field as blanks.
  write('        ', 148);
  write('0', 156);
  write('ustar\x0000', 257);
  write(folder, 345);
  write(
    `${octal(
      bytes.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  );
  return bytes;
}

/** A name has room for 100 bytes, the folders before it for 155. */
function split(path: string): readonly [string, string] {
  const length = (text: string) => new TextEncoder().encode(text).length;
  if (length(path) <= 100) return ['', path];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const [folder, name] = [path.slice(0, at), path.slice(at + 1)];
    if (length(folder) <= 155 && length(name) <= 100) return [folder, name];
  }
  throw new Error(`The path ${path} is too long for an archive.`);
}
