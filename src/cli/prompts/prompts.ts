import type { Command } from '../terminal/command.ts';
import { add } from './prompts-add.ts';
import { catalogActions } from './prompts-catalog.ts';
import { editingActions } from './prompts-editing.ts';
import { hook } from './prompts-hook.ts';
import { libraryActions } from './prompts-library.ts';
import { move, pull } from './prompts-move.ts';
import { versionActions } from './prompts-versions.ts';

export const prompts: Command = {
  name: 'prompts',
  summary: 'Find, use and edit prompts',
  actions: {
    ...catalogActions,
    ...editingActions,
    add,
    ...versionActions,
    ...libraryActions,
    hook,
    move,
    pull,
  },
};
