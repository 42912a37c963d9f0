import { defineSettings } from '../setting.ts';

export const routineSettings = defineSettings({
  'routines.enabled': {
    type: 'boolean',
    default: true,
    description: 'Whether adjutant worker and serve --http fire the routines of this machine.',
  },
  'routines.min_interval_minutes': {
    type: 'integer',
    minimum: 1,
    default: 5,
    description: 'The least time between two due times of a routine.',
  },
  'routines.catch_up_hours': {
    type: 'integer',
    minimum: 0,
    maximum: 168,
    default: 12,
    description:
      'How late a routine may start, for example after the machine slept, unless the routine says otherwise.',
  },
  'routines.max_failures': {
    type: 'integer',
    minimum: 0,
    default: 5,
    description: 'Failures in a row after which a routine is paused. 0 for no limit.',
  },
  'routines.max_per_hour': {
    type: 'integer',
    minimum: 1,
    default: 20,
    description: 'How often events or requests may trigger a routine in an hour before it is paused.',
  },
  'routines.keep_days': {
    type: 'integer',
    minimum: 0,
    default: 90,
    description:
      'Days after which the history of a routine is deleted. 0 for no limit. Of requests that GitHub signed, due time and status are kept, so that none fires again.',
  },
});
