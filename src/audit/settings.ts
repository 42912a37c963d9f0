import { defineSettings } from '../setting.ts';

export const auditSettings = defineSettings({
  'audit.days': {
    type: 'integer',
    minimum: 0,
    default: 365,
    description: 'How long the security log keeps its entries, in days. 0 keeps no log.',
  },
});
