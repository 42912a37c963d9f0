/** A bookmark with a tick: prompts and tasks that are taken care of. */
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2563eb" d="M5 2h14v20l-7-5-7 5z"/><path fill="none" stroke="#fff" stroke-width="2" d="m8 9 3 3 5-6"/></svg>';

/** The icon of the server, for clients that show one. */
export const icon = {
  src: `data:image/svg+xml,${encodeURIComponent(svg)}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
};
