import { useEffect, useState } from 'preact/hooks';
import { asError, useConnection } from './server-connection.tsx';
import { useToast } from './toast.tsx';

/** Takes .ics files, dropped anywhere on the page or chosen. */
export function CalendarImport({ userId }: { userId: string }) {
  const { client } = useConnection();
  const toast = useToast();
  const [over, setOver] = useState(false);
  const take = async (files: Iterable<File>) => {
    for (const file of files) {
      try {
        await client.tool('importCalendar', {
          user_id: userId,
          name: file.name,
          content: await file.text(),
        });
        toast({ text: `${file.name} is in.` });
      } catch (error) {
        toast({ text: `${file.name}: ${asError(error).message}` });
      }
    }
  };
  useEffect(() => {
    const drag = (event: DragEvent) => {
      event.preventDefault();
      setOver(event.type === 'dragover');
      if (event.type === 'drop') void take(event.dataTransfer?.files ?? []);
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
        onChange={(event) => take(event.currentTarget.files ?? [])}
      />
    </label>
  );
}
