import { defineSettings } from '../setting.ts';

export const skillSettings = defineSettings({
  'skills.folders': {
    type: 'list',
    paths: true,
    default: [],
    description: 'Folders of skills to serve to MCP clients. Each skill is a folder with a SKILL.md.',
  },
  'skills.prompts': {
    type: 'choice',
    values: ['all', 'tagged', 'none'],
    default: 'tagged',
    description:
      'The prompts to serve as skills to MCP clients: all prompts, only prompts with the tag "skill", or none.',
  },
});
