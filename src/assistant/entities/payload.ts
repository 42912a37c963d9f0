/** What a notification says, in the forms that the channels need: the `payload` of its row. Never whom to tell. */
export interface Payload {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** To be read aloud. */
  readonly script: string;
  /** What the policy said, as it said it; to word the reminder again. */
  readonly words?: Words;
}

/** Words a policy may add. */
export interface Words {
  readonly subject?: string;
  readonly text?: string;
  readonly script?: string;
}

export function parsePayload(payload: string): Payload {
  return JSON.parse(payload) as Payload;
}
