import type { ToolArguments } from '../../../api.ts';
import { useLoaded } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';

interface Props {
  readonly name: string;
  readonly zone: string;
  readonly locale: string;
  readonly change: ToolArguments<'preview_messages'>;
}

/** Shows which message a change of an event would send to its person. */
export function NoticePreview({ name, zone, locale, change }: Props) {
  const { value, error } = useLoaded(
    (client, signal) => client.tool('preview_messages', change, { signal }),
    [JSON.stringify(change)],
  );
  if (error) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="quiet">Checking who is notified…</p>;
  const { messages, none_because } = value;
  if (messages.length === 0)
    return (
      <p class="quiet">
        {name} is not notified. {none_because}
      </p>
    );
  return (
    <div class="notice">
      <p>
        {name} is notified by {messages[0]!.channel} at {shortTime(messages[0]!.plan_time!, zone, locale)}
        {messages.length > 1 && ` and ${messages.length - 1} more times`}:
      </p>
      <MessageText {...messages[0]!} />
    </div>
  );
}

/** A message as its recipient reads it. */
export function MessageText({ subject, text }: { subject: string; text: string }) {
  return (
    <div class="message">
      <strong>{subject}</strong>
      <pre>{text.trim()}</pre>
    </div>
  );
}
