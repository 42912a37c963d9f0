import type { Change, Feature } from '../../src/feature.ts';
import { askingTools } from './asking-tools.ts';
import { contentTools } from './content-tools.ts';
import { prompts } from './prompts.ts';
import { resources } from './resources.ts';
import { createTasks } from './tasks.ts';
import { createWorkingTools } from './working-tools.ts';

/** Everything that the official suite calls, as one feature. */
export function createFixtures(): Feature {
  const listeners = new Set<(change: Change) => void>();
  const publish = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  const tasks = createTasks();
  return {
    name: 'conformance',
    tools: [...contentTools, ...createWorkingTools(publish), ...askingTools, ...tasks.tools],
    methods: tasks.methods,
    extensions: tasks.extensions,
    prompts,
    resources,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
