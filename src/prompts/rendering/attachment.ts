import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Content } from '../../content.ts';
import { decodeText } from '../files/text-file.ts';

const mimeTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.html': 'text/html',
};

/** Converts a file to message content: images and audio get their own type, other files become embedded resources. */
export function attachmentOf(bytes: Buffer, path: string): Content {
  const mimeType = mimeTypes[extname(path).toLowerCase()];
  const [family] = mimeType?.split('/') ?? [];
  if (family === 'image' || family === 'audio')
    return { type: family, data: bytes.toString('base64'), mimeType: mimeType! };
  const uri = pathToFileURL(path).href;
  try {
    return {
      type: 'resource',
      resource: { uri, mimeType: mimeType ?? 'text/plain', text: decodeText(bytes) },
    };
  } catch {
    const type = mimeType ?? 'application/octet-stream';
    return { type: 'resource', resource: { uri, mimeType: type, blob: bytes.toString('base64') } };
  }
}
