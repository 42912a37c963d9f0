import type { ServerResponse } from 'node:http';
import type { Credential } from '../identity/credential.ts';

/** How often open requests are checked for revoked tokens. */
const checkMs = 500;

interface LiveRequest {
  readonly credential: Credential;
  readonly response: ServerResponse;
  /** A stream of changes must not outlive its token. Any other request may finish. */
  readonly isStream: boolean;
}

/** The requests in progress. Ends those whose token was revoked, and the streams whose token expired. */
export class LiveRequests {
  readonly #requests = new Set<LiveRequest>();
  readonly #timer: NodeJS.Timeout;

  /** `onCheck` ends what does not belong to an open request. */
  constructor(onCheck: () => void) {
    this.#timer = setInterval(() => {
      onCheck();
      for (const { credential, response, isStream } of this.#requests) {
        const isExpired = isStream && credential.expiresAt !== undefined && credential.expiresAt < Date.now();
        if (isExpired || credential.isRevoked()) response.destroy();
      }
    }, checkMs);
    this.#timer.unref();
  }

  add(request: LiveRequest): void {
    this.#requests.add(request);
    request.response.on('close', () => this.#requests.delete(request));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
