import type { JsonObject } from '../src/json.ts';

export interface ServerEvent {
  readonly id?: string;
  readonly retry?: string;
  /** Absent in an event that contains only an id. */
  readonly message?: JsonObject;
}

/** Yields the server-sent events of a response as they arrive. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block
          .split('\n')
          .filter((line) => !line.startsWith(':'))
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      );
      if (Object.keys(fields).length === 0) continue;
      yield {
        ...(fields['id'] && { id: fields['id'] }),
        ...(fields['retry'] && { retry: fields['retry'] }),
        ...(fields['data'] && { message: JSON.parse(fields['data']) as JsonObject }),
      };
    }
  }
}

export async function allEvents(response: Response): Promise<readonly ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}
