import { randomBytes } from 'node:crypto';
import type { Records } from '../../store/records.ts';
import type { SecretKind } from '../../store/secret-kind.ts';

const kind = 'routine-secrets';

export const webhookKeyKind: SecretKind = {
  kind,
  renew: (id) => `create a new key for the webhook of a routine: adjutant routines update ${id} --new-secret`,
};

/** The keys with which webhooks are signed. Apart from the routines, so that no list shows them. */
export class Secrets {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  async create(routineId: string): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    await this.#records.change(kind, routineId, () => ({ next: { secret } }));
    return secret;
  }

  async find(routineId: string): Promise<string | undefined> {
    const found = await this.#records.find(kind, routineId);
    return found && String(found['secret']);
  }

  async remove(routineId: string): Promise<void> {
    await this.#records.change(kind, routineId, (current) => current && { next: undefined });
  }
}
