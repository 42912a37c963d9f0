import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { log } from '../../log.ts';
import { ensureToken, readToken } from '../../transports/token.ts';

const storageErrors = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO']);

/** The token of the server and its file. If a new token cannot be stored, it is valid until the server stops. */
export function loadToken(config: Config): { readonly token: string; readonly file: string | undefined } {
  const named = config['http.token_file'];
  if (named !== undefined) return { token: readToken(named), file: named };
  const folder = config['http.state_dir'];
  const file = join(folder, 'token');
  try {
    return { token: ensureToken(folder), file };
  } catch (error) {
    if (!storageErrors.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    log(
      'warning',
      `the token cannot be stored in ${file}, so it is valid only until the server stops; make the folder writable, or choose another with http.state_dir, and restart`,
      error,
    );
    return { token: randomBytes(24).toString('base64url'), file: undefined };
  }
}
