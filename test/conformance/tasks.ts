import { randomUUID } from 'node:crypto';
import type { AskRequest, Context } from '../../src/context.ts';
import { Failure } from '../../src/failure.ts';
import { isObject, type JsonObject } from '../../src/json.ts';
import { defineBareTool, defineMethod, type Method } from '../../src/tool.ts';
import { askName, elicit } from './questions.ts';
import { say } from './samples.ts';

export const tasksExtension = 'io.modelcontextprotocol/tasks';

type Answers = Readonly<Record<string, JsonObject>>;

/** One task: what it is waiting for, and how it ended. */
class Task {
  readonly id = randomUUID();
  readonly #createdAt = new Date().toISOString();
  #lastUpdatedAt = this.#createdAt;
  #state: JsonObject = { status: 'working' };
  #questions: Record<string, AskRequest> = {};
  readonly #answers: Record<string, JsonObject> = {};
  #answered: (() => void) | undefined;

  /** Resolves once every question is answered by `tasks/update`. */
  ask(questions: Readonly<Record<string, AskRequest>>): Promise<Answers> {
    this.#questions = { ...questions };
    this.#set({ status: 'input_required' });
    return new Promise((resolve) => {
      this.#answered = () => resolve(this.#answers);
    });
  }

  answer(answers: Answers): void {
    for (const [key, answer] of Object.entries(answers)) {
      if (!(key in this.#questions)) continue;
      delete this.#questions[key];
      this.#answers[key] = answer;
    }
    if (Object.keys(this.#questions).length > 0 || this.#state['status'] !== 'input_required') return;
    this.#set({ status: 'working' });
    this.#answered?.();
  }

  complete(result: JsonObject): void {
    this.#set({ status: 'completed', result });
  }

  fail(error: JsonObject): void {
    this.#set({ status: 'failed', error });
  }

  cancel(): void {
    this.#set({ status: 'cancelled' });
  }

  describe(): JsonObject {
    return {
      taskId: this.id,
      createdAt: this.#createdAt,
      lastUpdatedAt: this.#lastUpdatedAt,
      ttlMs: 60_000,
      pollIntervalMs: 50,
      ...this.#state,
      ...(this.#state['status'] === 'input_required' && {
        inputRequests: this.#questions as unknown as JsonObject,
      }),
    };
  }

  #set(state: JsonObject): void {
    if (['completed', 'failed', 'cancelled'].includes(String(this.#state['status']))) return;
    this.#state = state;
    this.#lastUpdatedAt = new Date().toISOString();
  }
}

function declaresTasks({ client }: Context): boolean {
  const extensions = client.capabilities['extensions'];
  return isObject(extensions) && tasksExtension in extensions;
}

function requireTasks(context: Context): void {
  if (!declaresTasks(context))
    throw new Failure('capability-missing', `This needs a client with the extension ${tasksExtension}.`, {
      data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    });
}

const text = (words: string): JsonObject => ({ content: [{ type: 'text', text: words }] });
const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Tools that run as tasks, and the methods to follow them, as the suite's task scenarios call them. */
export function createTasks() {
  const tasks = new Map<string, Task>();
  const start = (work: (task: Task) => Promise<void>) => {
    const task = new Task();
    tasks.set(task.id, task);
    void work(task);
    return { task: task.describe() };
  };
  const find = (taskId: string, context: Context): Task => {
    requireTasks(context);
    const task = tasks.get(taskId);
    if (task === undefined) throw new Failure('invalid-params', `There is no task ${taskId}.`);
    return task;
  };
  const tools = [
    defineBareTool({
      name: 'greet',
      description: 'Greets at once.',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      call: async ({ name }) => say(`Hello, ${name}!`),
    }),
    defineBareTool({
      name: 'slow_compute',
      description: 'Computes for some seconds.',
      inputSchema: {
        type: 'object',
        properties: { seconds: { type: 'number' }, label: { type: 'string' } },
      },
      async call({ seconds = 1, label = '' }, context) {
        const compute = async () => {
          await pause(seconds);
          return text(`Computed ${label} in ${seconds} s.`);
        };
        if (!declaresTasks(context)) return say(String((await compute())['content']));
        return start(async (task) => task.complete(await compute()));
      },
    }),
    defineBareTool({
      name: 'failing_job',
      description: 'Ends with a failure of the tool.',
      inputSchema: { type: 'object', properties: {} },
      async call(_, context) {
        requireTasks(context);
        return start(async (task) => task.complete({ ...text('The job failed.'), isError: true }));
      },
    }),
    defineBareTool({
      name: 'protocol_error_job',
      description: 'Ends with a protocol error.',
      inputSchema: { type: 'object', properties: {} },
      async call(_, context) {
        requireTasks(context);
        return start(async (task) => task.fail({ code: -32603, message: 'The job could not be run.' }));
      },
    }),
    defineBareTool({
      name: 'confirm_delete',
      description: 'Asks before it deletes.',
      inputSchema: { type: 'object', properties: { filename: { type: 'string' } } },
      async call({ filename = '' }, context) {
        requireTasks(context);
        const confirm = elicit(`Delete ${filename}?`, { confirm: { type: 'boolean' } }, ['confirm']);
        return start(async (task) => {
          const answers = await task.ask({ confirm });
          task.complete(text(`Deleted ${filename}: ${JSON.stringify(answers)}`));
        });
      },
    }),
    defineBareTool({
      name: 'multi_input',
      description: 'Asks two questions at once.',
      inputSchema: { type: 'object', properties: {} },
      async call(_, context) {
        requireTasks(context);
        const color = elicit('Which color?', { color: { type: 'string' } }, ['color']);
        return start(async (task) => {
          const answers = await task.ask({ name: askName, color });
          task.complete(text(`Answers: ${JSON.stringify(answers)}`));
        });
      },
    }),
    defineBareTool({
      name: 'test_tool_with_task',
      description: 'Asks for a name first, then runs as a task.',
      inputSchema: { type: 'object', properties: {} },
      async call(_, context) {
        const { user_name } = await context.ask({ user_name: askName });
        return start(async (task) => task.complete(text(`Hello, ${JSON.stringify(user_name)}!`)));
      },
    }),
  ];
  const taskId = { type: 'string' } as const;
  const methods: Readonly<Record<string, Method>> = {
    'tasks/get': defineMethod({
      paramsSchema: { type: 'object', required: ['taskId'], properties: { taskId } },
      call: async (params, context) => find(params.taskId, context).describe(),
    }),
    'tasks/update': defineMethod({
      paramsSchema: {
        type: 'object',
        required: ['taskId'],
        properties: { taskId, inputResponses: { type: 'object' } },
      },
      async call(params, context) {
        find(params.taskId, context).answer((params.inputResponses ?? {}) as Answers);
        return {};
      },
    }),
    'tasks/cancel': defineMethod({
      paramsSchema: { type: 'object', required: ['taskId'], properties: { taskId } },
      async call(params, context) {
        find(params.taskId, context).cancel();
        return {};
      },
    }),
  };
  return { tools, methods, extensions: { [tasksExtension]: {} } };
}
