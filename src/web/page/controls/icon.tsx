/** Outlines on a 16 × 16 grid, drawn with the colour of the text. */
const paths = {
  add: 'M8 3v10M3 8h10',
  archive: 'M2 4h12M3.5 4v8.5a1 1 0 0 0 1 1h7a1 1 0 0 0 1-1V4M6.5 7.5h3M5.5 2.5h5',
  auto: 'M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M8 2v12',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  help: 'M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.6-.8 1.3M8 11.3v.2',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 1 0 0-9M10.5 10.5l3 3',
  star: 'M8 2l1.8 3.8 4.2.6-3 2.9.7 4.2L8 11.5l-3.7 2 .7-4.2-3-2.9 4.2-.6z',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 1 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
} as const;

export type IconName = keyof typeof paths;

/** A decorative picture. The control around it has the label. */
export function Icon({ name, filled = false }: { name: IconName; filled?: boolean }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} fill={filled ? 'currentColor' : 'none'} />
    </svg>
  );
}
