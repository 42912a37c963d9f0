import { mkdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createRecords } from '../../src/store/records.ts';
import { componentFile } from '../components.ts';
import { type ChatModel, type ChatRequest, startChatModel } from '../model/chat-model.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { axeViolations, PageServer, shows } from '../page/page-server.ts';

const server = new PageServer();
let model: ChatModel;
let agentModel: Model;
/** Continues the answers that wait after their first words. */
let waiting: (() => void)[] = [];

const userText = (text: string) => ({ role: 'user', content: { type: 'text', text } });

/** Streams the request back, and stops in the middle until the test continues it. */
function streamBack({ body }: ChatRequest, _: number, response: ServerResponse): undefined {
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  const delta = (content: string) => event({ choices: [{ delta: { content } }] });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(delta('You said: '));
  waiting.push(() => {
    response.write(delta(body.messages.map(({ role, content }) => `${role} ${content}`).join(' | ')));
    response.end(
      `${event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 11 } })}data: [DONE]\n\n`,
    );
  });
}

beforeAll(async () => {
  model = await startChatModel(streamBack);
  agentModel = await startResponsesModel();
  mkdirSync(join(server.home, '.codex'));
  writeFileSync(join(server.home, '.codex/config.toml'), agentModel.config);
  mkdirSync(join(server.home, 'prompts'), { recursive: true });
  const messages = [
    { role: 'assistant', content: { type: 'text', text: 'Be brief.' } },
    userText('Greet {{who}}.'),
  ];
  const greet = { name: 'greet', title: 'Greet', arguments: [{ name: 'who', required: true }], messages };
  // Text of a prompt that looks like the name of another one.
  const scripted = { ...greet, name: 'scripted', title: 'Scripted', messages: [userText(':First {{who}}.')] };
  writeFileSync(
    join(server.home, 'prompts', 'user.jsonl'),
    `${JSON.stringify(greet)}\n${JSON.stringify(scripted)}\n`,
  );
  await server.start({
    ADJUTANT_ASSISTANT_MODEL_URL: model.url,
    ADJUTANT_ASSISTANT_MODEL: 'echo-1',
    PATH: [componentFile('.bin'), process.env['PATH']].join(delimiter),
  });
});
afterEach(async () => {
  for (const finish of waiting.splice(0)) finish();
  await server.closeWindows();
});
afterAll(async () => {
  await server.stop();
  await model[Symbol.asyncDispose]();
  await agentModel.close();
});

it('shows the answer while it arrives, compares two revisions and keeps both with their cost', async () => {
  const page = await server.open();
  await page.goto(server.view('#/prompts/greet/edit'));
  await page.getByLabel('Message 2', { exact: true }).fill('Welcome {{who}}!');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('tab', { name: 'Try' }).click();
  await shows(page, 'Fill in who first.');
  await page.getByLabel(/^who/).fill('Ada');
  await page.getByLabel('Compare with').selectOption('1');
  await page.getByRole('button', { name: 'Send to model' }).click();
  await page.getByRole('region', { name: 'Current revision' }).getByText('You said:').waitFor();
  await page.getByRole('region', { name: 'Revision 1' }).getByText('You said:').waitFor();
  for (const finish of waiting.splice(0)) finish();
  const current = page.getByRole('region', { name: 'Current revision' });
  await current.getByText('You said: assistant Be brief. | user Welcome Ada!').waitFor();
  await current.getByText(/^7 \+ 11 tokens, .* s, echo-1$/).waitFor();
  await page.getByRole('region', { name: 'Revision 1' }).getByText('user Greet Ada.').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.reload();
  await page.getByText('Revision 1 with echo-1: 1 answer, on average 11 tokens').click();
  await page.getByRole('region', { name: 'Earlier answers' }).getByText('user Greet Ada.').waitFor();
  const documents = createRecords(join(server.home, 'adjutant.db'));
  expect(await documents.list('prompt_trial')).toHaveLength(2);
  await documents.close();
});

it('can be cancelled while the answer arrives', async () => {
  const page = await server.open();
  await page.goto(server.view('#/prompts/greet/try'));
  await page.getByLabel(/^who/).fill('Bo');
  await page.getByRole('button', { name: 'Send to model' }).click();
  await page.getByRole('region', { name: 'Current revision' }).getByText('You said:').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await shows(page, 'Cancelled.');
  waiting = [];
});

it('compares two revisions with sub-agents, shows them at work and keeps both with their cost', async () => {
  const page = await server.open();
  await page.goto(server.view('#/prompts/scripted/edit'));
  await page.getByLabel('Text', { exact: true }).fill(':Second {{who}}.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('tab', { name: 'Try' }).click();
  const work = { shell: 'echo the tide is high; sleep 1' };
  await page.getByLabel(/^who/).fill(script(work, answer({ summary: 'The tide is high.' })));
  await page.getByLabel('Compare with').selectOption('1');
  await page.getByText('Give it to a sub-agent instead').click();
  await page.getByLabel(/^Working folder/).fill(server.home);
  await page.getByRole('button', { name: 'Start two sub-agents' }).click();
  const cards = ['Sub-agent, current revision', 'Sub-agent, revision 1'].map((name) =>
    page.getByRole('region', { name }),
  );
  for (const card of cards) {
    await card
      .locator('.timeline')
      .getByText(/echo the tide is high/)
      .first()
      .waitFor();
    await card.getByRole('status').getByText('The tide is high.').waitFor();
    await card.getByText(/^200 \+ 40 tokens, .* s, codex/).waitFor();
  }
  expect(await axeViolations(page)).toEqual([]);
  const tasks = agentModel.requests.map(({ task }) => task);
  expect([/:First <<turns/, /:Second <<turns/].map((text) => tasks.some((task) => text.test(task)))).toEqual([
    true,
    true,
  ]);
  await page.reload();
  await page.getByText(/^Revision 2 with codex.*: 1 answer, on average 40 tokens/).waitFor();
  await page.getByText(/^Revision 1 with codex.*: 1 answer, on average 40 tokens/).click();
  const earlier = page.getByRole('region', { name: 'Earlier answers' });
  await earlier.locator('details[open]').getByText('The tide is high.').waitFor();
  await earlier.locator('details[open]').getByRole('link', { name: 'Show the run' }).click();
  await page.locator('article [data-status=completed]').waitFor();
});
