import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { log } from '../../log.ts';
import { storageReason } from '../../storage-error.ts';
import { ensureToken, readToken } from '../../transports/token.ts';

/** The token of the server and its file. If a new token cannot be stored, it is valid until the server stops. */
export function loadToken(config: Config): { readonly token: string; readonly file: string | undefined } {
  const named = config['http.token_file'];
  if (named !== undefined) return { token: readToken(named), file: named };
  const folder = config['http.state_dir'];
  const file = join(folder, 'token');
  try {
    return { token: ensureToken(folder), file };
  } catch (error) {
    const reason = storageReason(error, folder);
    if (reason === undefined || existsSync(file)) throw error;
    log(
      'warning',
      `the token cannot be stored in ${file}, so it is valid only until the server stops: ${reason}, then restart the server`,
    );
    return { token: randomBytes(24).toString('base64url'), file: undefined };
  }
}
