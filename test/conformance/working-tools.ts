import { setTimeout as pause } from 'node:timers/promises';
import type { Change } from '../../src/feature.ts';
import { defineBareTool, type Tool } from '../../src/tool.ts';
import { say } from './samples.ts';

const noArguments = { type: 'object', properties: {} } as const;

/** Tools that send notifications: logs, progress and list changes. */
export function createWorkingTools(publish: (change: Change) => void): readonly Tool[] {
  return [
    defineBareTool({
      name: 'test_tool_with_logging',
      description: 'Logs three times while it works.',
      inputSchema: noArguments,
      async call(_, context) {
        context.log('info', 'Tool execution started');
        await pause(50);
        context.log('info', 'Tool processing data');
        await pause(50);
        context.log('info', 'Tool execution completed');
        return say('Logged three times.');
      },
    }),
    defineBareTool({
      name: 'test_logging_tool',
      description: 'Logs one message, if the client asks for logs.',
      inputSchema: noArguments,
      async call(_, context) {
        context.log('info', 'Sent only to clients that ask for logs');
        return say('Logged.');
      },
    }),
    defineBareTool({
      name: 'test_tool_with_progress',
      description: 'Reports its progress three times.',
      inputSchema: noArguments,
      async call(_, context) {
        context.progress(0, 100);
        await pause(50);
        context.progress(50, 100);
        await pause(50);
        context.progress(100, 100);
        return say('Reported three times.');
      },
    }),
    defineBareTool({
      name: 'test_reconnection',
      description: 'Takes so long that the client has to reconnect.',
      inputSchema: noArguments,
      async call() {
        await pause(2500);
        return say('Done.');
      },
    }),
    defineBareTool({
      name: 'test_waiting',
      description: 'Waits until it is cancelled, and reports that as a change of prompts.',
      inputSchema: noArguments,
      call: (_, context) =>
        new Promise<never>((_resolve, reject) => {
          context.progress(0);
          context.signal.addEventListener('abort', () => {
            publish({ kind: 'prompts' });
            reject(context.signal.reason);
          });
        }),
    }),
    defineBareTool({
      name: 'test_trigger_tool_change',
      description: 'Reports that the list of tools has changed.',
      inputSchema: noArguments,
      async call() {
        publish({ kind: 'tools' });
        return say('Changed.');
      },
    }),
    defineBareTool({
      name: 'test_trigger_prompt_change',
      description: 'Reports that the list of prompts has changed.',
      inputSchema: noArguments,
      async call() {
        publish({ kind: 'prompts' });
        return say('Changed.');
      },
    }),
  ];
}
