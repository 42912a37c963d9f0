import { useEffect, useState } from 'preact/hooks';
import { chosenFiles } from '../shared/chosen-files.ts';
import type { McpClient } from '../shared/mcp-client.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';

const steps = ['added', 'moved', 'changed', 'cancelled', 'removed', 'unchanged'] as const;

/** Takes .ics files, dropped anywhere on the page or chosen. */
export function CalendarImport({ userId }: { userId: string }) {
  const { client } = useConnection();
  const toast = useToast();
  const [over, setOver] = useState(false);
  const take = async (files: readonly File[]) => {
    const told: string[] = [];
    for (const file of files) told.push(`${file.name}: ${await bringIn(client, userId, file)}`);
    if (told.length > 0) toast({ text: told.join('\n') });
  };
  useEffect(() => {
    const drag = (event: DragEvent) => {
      // Text that is dragged about is none of ours.
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(event.type === 'dragover');
      if (event.type === 'drop') void take([...event.dataTransfer.files]);
    };
    const kinds = ['dragover', 'dragleave', 'drop'] as const;
    for (const kind of kinds) addEventListener(kind, drag);
    return () => {
      for (const kind of kinds) removeEventListener(kind, drag);
    };
  }, [userId]);
  return (
    <label class={`button ${over ? 'over' : ''}`}>
      {over ? 'Drop it' : 'Import .ics'}
      <input
        class="hidden"
        type="file"
        accept=".ics,text/calendar"
        multiple
        onChange={(event) => take(chosenFiles(event.currentTarget))}
      />
    </label>
  );
}

/** Says how it went. */
async function bringIn(client: McpClient, userId: string, file: File): Promise<string> {
  try {
    const content = await file.text();
    const { calendars } = await client.tool('importCalendar', {
      user_id: userId,
      name: nameOf(file.name, content),
      content,
    });
    const imported = calendars[0]!;
    const counts = steps.flatMap((step) => (imported[step] ? [`${imported[step]} ${step}`] : []));
    const { problem_count = 0, problems: [first] = [] } = imported;
    return [
      counts.join(', ') || 'no events',
      ...(first ? [`${problem_count} problem${problem_count === 1 ? '' : 's'}: ${first.message}`] : []),
    ].join('; ');
  } catch (error) {
    return asError(error).message;
  }
}

/**
 * What comes under the name of an earlier file takes its place. Invitations are all called alike and each is about
 * another event, which therefore is in the name.
 */
function nameOf(fileName: string, content: string): string {
  const events = new Set(content.match(/^UID:.*/gm)?.map((line) => line.slice(4).trim()));
  const [only = ''] = events;
  return (events.size === 1 ? `${fileName} ${only}` : fileName).slice(0, 200);
}
