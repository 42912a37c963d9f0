import { constants, promises as disk } from 'node:fs';

/** Reads a text file. Devices, pipes, folders and files above the limit are refused without blocking on them. */
export async function readRegularFile(path: string, maxBytes: number): Promise<string> {
  const file = await disk.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
    if (stats.size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (length > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
      if (bytesRead === 0) return buffer.toString('utf8', 0, length);
    }
  } finally {
    await file.close();
  }
}
