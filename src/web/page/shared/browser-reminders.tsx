import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../controls/fields.tsx';
import { useConnection, useLoaded, useUpdates } from './server-connection.tsx';

/** A message that is older than this when the page opens is not shown any more. */
const recentMs = 2 * 60_000;

const permissionNow = () => ('Notification' in globalThis ? Notification.permission : 'denied');

/**
 * Shows reminders that should have appeared on the desktop of the server, which has none. Such a message is in the outbox, so
 * that it is never shown both there and here. The browser replaces a notification with the same tag, so several open pages
 * show one.
 */
export function useBrowserReminders(): void {
  const { client, changes } = useConnection();
  // The first reminder creates the person.
  const { value: me } = useLoaded(
    (server, signal) => server.tool('get_user', {}, { signal }).catch(() => undefined),
    [changes.resources],
  );
  const updates = useUpdates(...(me === undefined ? [] : [`resources://users/${me.id}/notifications`]));
  const shown = useRef(new Set<string>());
  useEffect(() => {
    if (me === undefined || permissionNow() !== 'granted') return;
    void (async () => {
      const wanted = { user_id: me.id, status: 'sent', days_back: 1, days_forward: 1, limit: 50 } as const;
      const { notifications } = await client.tool('list_notifications', wanted);
      const due = notifications.filter(
        ({ id, channel, sent_time = '' }) =>
          channel === 'desktop' && !shown.current.has(id) && Date.now() - Date.parse(sent_time) < recentMs,
      );
      if (due.length === 0) return;
      const { messages } = await client.tool('list_outbox', { limit: 20 });
      for (const { id } of due) {
        const message = messages.find(({ file }) => file === `${encodeURIComponent(id)}.desktop.json`);
        if (message === undefined) continue;
        shown.current.add(id);
        new Notification(message.subject ?? 'Reminder', { body: message.preview ?? '', tag: id });
      }
    })().catch(() => {});
  }, [me?.id, updates]);
}

/** Asks the browser whether this page may show reminders. */
export function BrowserReminders() {
  const [permission, setPermission] = useState(permissionNow);
  if (permission === 'denied') return null;
  if (permission === 'granted')
    return <p class="quiet">While this page is open, it shows reminders if the server has no desktop.</p>;
  const ask = async () => setPermission(await Notification.requestPermission());
  return (
    <p>
      <Button class="small" onClick={() => void ask()}>
        Show reminders in this browser
      </Button>{' '}
      <span class="quiet">while this page is open, if the server has no desktop.</span>
    </p>
  );
}
