/** What a notification says, in the forms that the channels need: the `payload` of its row. Never whom to tell. */
export interface Payload {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** To be read aloud. */
  readonly script: string;
}

export function parsePayload(payload: string): Payload {
  return JSON.parse(payload) as Payload;
}
