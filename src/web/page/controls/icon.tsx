/** Outlines on a 16 × 16 grid, drawn with the colour of the text. */
const paths = {
  ask: 'M2 8a6 6 0 1 0 12 0 6 6 0 1 0-12 0M6.4 6.3a1.7 1.7 0 1 1 2.4 1.6c-.5.2-.8.6-.8 1.1M8 11.2h.01',
  auto: 'M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M8 2v12',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1H3zM6.7 14h2.6',
  calendar:
    'M4.5 3.5h7a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2zM2.5 6.5h11M5.5 2v2.5M10.5 2v2.5',
  check: 'M3 8.5l3.2 3L13 4.5',
  clock: 'M2 8a6 6 0 1 0 12 0 6 6 0 1 0-12 0M8 4.5V8l2.3 1.5',
  comment: 'M2.5 3.5h11v7.5H7L4.5 13.5V11h-2z',
  copy: 'M7 5.5h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5h-5a1.5 1.5 0 0 1-1.5-1.5v-5a1.5 1.5 0 0 1 1.5-1.5zM10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2',
  cross: 'M4 4l8 8M12 4l-8 8',
  done: 'M2 8a6 6 0 1 0 12 0 6 6 0 1 0-12 0M5.3 8.2l1.9 1.8 3.5-3.8',
  down: 'M4 6l4 4 4-4',
  download: 'M8 2v8M5 7l3 3 3-3M2.5 11v2.5h11V11',
  edit: 'M3 13l.6-2.8L10.8 3a1.2 1.2 0 0 1 1.7 0l.5.5a1.2 1.2 0 0 1 0 1.7l-7.2 7.2z',
  expand: 'M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9',
  failed: 'M2 8a6 6 0 1 0 12 0 6 6 0 1 0-12 0M6 6l4 4M10 6l-4 4',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  flow: 'M4 3v7M4 6h5a2 2 0 0 1 2 2v2M2.2 12a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 1 0-3.6 0M9.2 12a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 1 0-3.6 0M3 3a1 1 0 1 0 2 0 1 1 0 1 0-2 0',
  folder: 'M2 4.5h4l1.5 1.5H14v6.5H2z',
  hook: 'M2 11a2 2 0 1 0 4 0 2 2 0 1 0-4 0M10 11a2 2 0 1 0 4 0 2 2 0 1 0-4 0M6 4.5a2 2 0 1 0 4 0 2 2 0 1 0-4 0M7 6.3l-2.2 3M6 11h4M9 6.3l2.2 3',
  left: 'M10 4l-4 4 4 4',
  mark: 'M8 1.5 2.5 14h2.7l1.2-3h3.2l1.2 3h2.7zm0 4.6L9 9H7z',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  open: 'M2 8a6 6 0 1 0 12 0 6 6 0 1 0-12 0',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  people:
    'M3.7 5.5a2.3 2.3 0 1 0 4.6 0 2.3 2.3 0 1 0-4.6 0M1.8 13c.4-2.2 2.1-3.5 4.2-3.5s3.8 1.3 4.2 3.5M10.5 3.5a2.3 2.3 0 0 1 0 4M12 9.8c1.2.5 2 1.6 2.3 3.2',
  person: 'M5.5 5.5a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0M3 13.5c.5-2.5 2.5-4 5-4s4.5 1.5 5 4',
  pin: 'M8 14s4.5-4 4.5-7.5a4.5 4.5 0 0 0-9 0C3.5 10 8 14 8 14zM6.5 6.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0',
  plan: 'M2.5 4l1 1 2-2M2.5 11l1 1 2-2M8 4.2h5.5M8 11.2h5.5',
  plus: 'M8 3v10M3 8h10',
  prompts: 'M3 3.5h10v7H8l-3 2.5v-2.5H3zM5.5 6h5M5.5 8h3',
  read: 'M8 4.5C6.5 3.3 4.5 3 2 3v9c2.5 0 4.5.3 6 1.5 1.5-1.2 3.5-1.5 6-1.5V3c-2.5 0-4.5.3-6 1.5zm0 0v9',
  right: 'M6 4l4 4-4 4',
  routines: 'M3 7a5 5 0 0 1 9-2l1 1M13 9a5 5 0 0 1-9 2l-1-1M13 3v3h-3M3 13v-3h3',
  runs: 'M4 3h8a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2zM5 6.5l2 1.5-2 1.5M8.5 10H11',
  search: 'M2.5 7a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0M10.5 10.5l3 3',
  server:
    'M3.5 3h9a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-2a1 1 0 0 1 1-1zM3.5 9h9a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-2a1 1 0 0 1 1-1zM5 5h.01M5 11h.01',
  shield: 'M8 2 3 4v4c0 3 2.2 5 5 6 2.8-1 5-3 5-6V4zM8 5.5V9M8 11h.01',
  star: 'M8 2l1.8 3.8 4.2.6-3 2.9.7 4.2L8 11.5l-3.7 2 .7-4.2-3-2.9 4.2-.6z',
  stop: 'M5.5 4h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5h-5a1.5 1.5 0 0 1-1.5-1.5v-5a1.5 1.5 0 0 1 1.5-1.5z',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 1 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  terminal: 'M3 4.5l3.5 3.5L3 11.5M8 12h5',
  theme: 'M2.5 8a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0M8 2.5v11a5.5 5.5 0 0 0 0-11z',
  thought: 'M6 12.5h4M6.5 14.5h3M8 1.5a4.5 4.5 0 0 0-2.5 8.2V11h5V9.7A4.5 4.5 0 0 0 8 1.5z',
  today: 'M2.5 9.5 4 3.5h8l1.5 6v3h-11zM2.5 9.5h3l1 1.5h3l1-1.5h3',
  undo: 'M3 6h6.5a3.5 3.5 0 0 1 0 7H6M3 6l3-3M3 6l3 3',
  up: 'M4 10l4-4 4 4',
} as const;

export type IconName = keyof typeof paths;

interface Props {
  readonly name: IconName;
  readonly filled?: boolean;
  readonly class?: string;
}

/** A decorative picture. The control around it has the label. */
export function Icon({ name, filled = false, class: look = 'icon' }: Props) {
  return (
    <svg class={look} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} fill={filled ? 'currentColor' : 'none'} />
    </svg>
  );
}
