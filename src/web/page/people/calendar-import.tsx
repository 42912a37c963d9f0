import { useEffect, useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { chosenFiles } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import type { McpClient } from '../shared/mcp-client.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';

const countFields = ['added', 'moved', 'changed', 'cancelled', 'removed', 'unchanged'] as const;

/** Imports .ics files that the user selects or drops anywhere on the page. */
export function CalendarImport({ userId }: { userId: string }) {
  const { client, readOnly, mayCall } = useConnection();
  const isRefused = readOnly || !mayCall('import_calendar');
  const toast = useToast();
  const [dragging, setDragging] = useState(false);
  const importFiles = async (files: readonly File[]) => {
    if (files.length === 0) return;
    const before = await client
      .tool('list_calendars', { user_id: userId, ...wholeList })
      .catch(() => undefined);
    const results: Imported[] = [];
    for (const file of files) results.push(await importFile(client, userId, file, before?.calendars));
    const undone = results.flatMap(({ undo }) => undo ?? []).reverse();
    const undo = async () => {
      for (const one of undone) await one();
    };
    toast({
      text: results.map(({ text }, index) => `${files[index]!.name}: ${text}`).join('\n'),
      ...(undone.length > 0 && { undo }),
    });
  };
  useEffect(() => {
    if (isRefused) return;
    const onDrag = (event: DragEvent) => {
      // Ignore dragged text.
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setDragging(event.type === 'dragover');
      if (event.type === 'drop') void importFiles([...event.dataTransfer.files]);
    };
    const kinds = ['dragover', 'dragleave', 'drop'] as const;
    for (const kind of kinds) addEventListener(kind, onDrag);
    return () => {
      for (const kind of kinds) removeEventListener(kind, onDrag);
    };
  }, [userId, isRefused]);
  if (isRefused) return <ChangeButton tool="import_calendar">Import calendar</ChangeButton>;
  return (
    <label class={`button ${dragging ? 'over' : ''}`}>
      <Icon name="download" />
      {dragging ? 'Drop to import' : 'Import calendar'}
      <input
        class="hidden"
        type="file"
        accept=".ics,text/calendar"
        multiple
        onChange={(event) => importFiles(chosenFiles(event.currentTarget))}
      />
    </label>
  );
}

interface Imported {
  /** A summary, or the error message. */
  readonly text: string;
  readonly undo?: () => Promise<unknown>;
}

/** Undo removes a new calendar, and restores the events of a calendar that was imported before. */
async function importFile(
  client: McpClient,
  userId: string,
  file: File,
  known: readonly { readonly id: string }[] | undefined,
): Promise<Imported> {
  try {
    const content = await file.text();
    const { answer, undo } = await client.undoable('import_calendar', {
      user_id: userId,
      name: calendarName(file.name, content),
      content,
    });
    const imported = answer.calendars[0]!;
    const counts = countFields.flatMap((field) => (imported[field] ? [`${imported[field]} ${field}`] : []));
    const { problem_count = 0, problems: [first] = [] } = imported;
    const text = [
      counts.join(', ') || 'no events',
      ...(first ? [`${problem_count} problem${problem_count === 1 ? '' : 's'}: ${first.message}`] : []),
    ].join('; ');
    if (known !== undefined && !known.some(({ id }) => id === imported.id))
      return { text, undo: client.undoBy('remove_calendar', { calendar_id: imported.id }) };
    return { text, ...(undo && { undo }) };
  } catch (error) {
    return { text: asError(error).message };
  }
}

/**
 * An import replaces an earlier import with the same name. Invitations usually share one file name, so the name of a file
 * with a single event includes the UID of the event.
 */
function calendarName(fileName: string, content: string): string {
  const events = new Set(content.match(/^UID:.*/gm)?.map((line) => line.slice(4).trim()));
  const [only = ''] = events;
  return (events.size === 1 ? `${fileName} ${only}` : fileName).slice(0, 200);
}
