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
import { answerToken } from './message-links.ts';

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
  let nowMs = noon;
  const data = { store, clock: () => nowMs, occurrences: expandEvent };
  const tokens = new Map<string, string>();
  for (const row of await store.read((db) => db.selectFrom('notifications').selectAll().execute()))
    tokens.set(row.id, (await answerToken(store, row, noon))!);
  const options = { privateHosts: [], passwordsFile: '', maxBytes: 1000, intervalMs: 1000 };
  const responses = createResponses({ data, options });
  const server = createServer((request, response) => {
    void serveAcknowledge(responses, request.url!.split('?')[0]!, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    store,
    tokens,
    setClock(ms: number) {
      nowMs = ms;
    },
    /** The page behind the link of a notification, or behind any other text in its place. */
    async text(link: string, method = 'GET') {
      const path = link.replace(/^\w+/, (id) => tokens.get(id) ?? id);
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
  for (const method of ['GET', 'POST'])
    expect(await pages.text('unknown', method)).toBe('en | There is no such reminder. | 404');
  const tasks = await pages.store.read((db) => db.selectFrom('events').select(['id', 'done']).execute());
  expect(tasks.filter(({ done }) => done !== null)).toMatchObject([{ id: 'e2' }]);
});

const missing = 'en | There is no such reminder. | 404';
const question = 'en | Confirm that you know about this. | 200';

it('opens with the token of the message, but not with the id that tools show or with what the database holds', async () => {
  await using pages = await open();
  const token = pages.tokens.get('n0')!;
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  const [stored] = await pages.store.read((db) => db.selectFrom('answer_links').selectAll().execute());
  for (const guess of ['x/../n0', encodeURIComponent('n0 '), stored!.hash, token.slice(0, -1)])
    expect((await pages.text(guess, 'POST')).split(' | ').at(-1)).toBe('404');
  pages.tokens.clear();
  expect(await pages.text('n0', 'POST')).toBe(missing);
  expect(await pages.text(token)).toBe(question);
});

it('expires, and is gone with its person', async () => {
  await using pages = await open();
  pages.setClock(noon + 29 * 24 * 60 * minute);
  expect(await pages.text('n0')).toBe(question);
  pages.setClock(noon + 31 * 24 * 60 * minute);
  expect(await pages.text('n0')).toBe(missing);
  pages.setClock(noon);
  await pages.store.write(({ db }) => db.deleteFrom('users').where('id', '=', 'u0').execute());
  expect(await pages.text('n0')).toBe(missing);
  const left = await pages.store.read((db) => db.selectFrom('answer_links').select('subject').execute());
  expect(left.map(({ subject }) => subject).sort()).toEqual(['n1', 'n2', 'n3', 'n4']);
});

it('still opens with the id in messages of earlier versions, until the event is over', async () => {
  await using pages = await open();
  pages.tokens.clear();
  await pages.store.write(({ db }) =>
    db.updateTable('notifications').set({ id_answers: 1 }).where('id', '=', 'n0').execute(),
  );
  expect(await pages.text('n0')).toBe(question);
  const event = await pages.store.read((db) =>
    db.selectFrom('events').select('end_ms').where('id', '=', 'e0').executeTakeFirstOrThrow(),
  );
  pages.setClock(event.end_ms - 1);
  expect(await pages.text('n0')).toBe(question);
  pages.setClock(event.end_ms);
  expect(await pages.text('n0')).toBe(missing);
});
