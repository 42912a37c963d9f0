import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fill, meeting, minute, noon, person, reminder } from '../../../test/assistant-rows.ts';
import { createStore } from '../../store/store.ts';
import { expandEvent } from '../calendar/expand-event.ts';
import { createResponses, serveAcknowledge } from './acknowledge.ts';

const languages = ['en', 'de-AT', 'fr', 'es-MX', 'xx'];

/** The pages behind the links of one sent reminder for each language, and of a task. */
async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-page-'));
  const store = createStore(join(folder, 'adjutant.db'));
  for (const [index, locale] of languages.entries()) {
    const id = `u${index}`;
    const event = meeting(`e${index}`, id, noon + 60 * minute, { task: 'open' });
    const sent = reminder(event, noon - minute, { id: `n${index}`, status: 'sent', sent_ms: noon });
    await fill(store, { users: [person(id, { locale })], events: [event], notifications: [sent] });
  }
  const data = { store, clock: () => noon, occurrences: expandEvent };
  const options = { privateHosts: [], passwordsFile: '', maxBytes: 1000, intervalMs: 1000 };
  const responses = createResponses({ data, options });
  const server = createServer((request, response) => {
    void serveAcknowledge(responses, request.url!.split('?')[0]!, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    store,
    async text(path: string, method = 'GET') {
      const response = await fetch(`http://127.0.0.1:${port}/acknowledge/${path}`, { method });
      const html = await response.text();
      return [/lang="([^"]*)"/.exec(html)![1], /<p>(.*?)<\/p>/.exec(html)![1], response.status].join(' | ');
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

it('speaks the language of the person who got the message', async () => {
  await using pages = await open();
  const questions = await Promise.all(languages.map((_, index) => pages.text(`n${index}`)));
  expect(questions).toEqual([
    'en | Confirm that you know about this. | 200',
    'de-AT | Bestätige, dass du davon weißt. | 200',
    'fr | Confirmez que vous êtes au courant. | 200',
    'es-MX | Confirma que estás al tanto. | 200',
    'xx | Confirm that you know about this. | 200',
  ]);
  expect(await pages.text('n1?snooze=10')).toContain('In 10 Minuten noch einmal erinnert werden.');
  expect(await pages.text('n1?snooze=10', 'POST')).toContain(
    'Die Erinnerung kommt in 10 Minuten noch einmal.',
  );
  expect(await pages.text('n3?fewer=1')).toContain('Recibir menos recordatorios');
  expect(await pages.text('n2?done')).toContain('Marquer cette tâche comme terminée.');
  expect(await pages.text('n2?done', 'POST')).toBe('fr | Merci. La tâche est terminée. | 200');
  expect(await pages.text('n2?snooze=10', 'POST')).toMatch(/^fr \| Ce n’est plus possible.* \| 409$/);
  expect(await pages.text('unknown', 'POST')).toBe('en | There is no such reminder. | 404');
  const tasks = await pages.store.read((db) => db.selectFrom('events').select(['id', 'done']).execute());
  expect(tasks.filter(({ done }) => done !== null)).toMatchObject([{ id: 'e2' }]);
});
