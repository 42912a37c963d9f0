import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from './browser.ts';

interface Difference {
  /** Changed pixels, or undefined if the sizes differ. */
  readonly pixels: number | undefined;
  /** The newer picture in grey with the changed pixels in red, as a data URL. */
  readonly image: string;
}

/** Compares two pictures. Runs in the browser, which can decode them. */
const compare = `async ([before, after]) => {
  const load = async (data) => createImageBitmap(await (await fetch(data)).blob());
  const [old, current] = await Promise.all([load(before), load(after)]);
  const pixelsOf = (image) => {
    const canvas = new OffscreenCanvas(current.width, current.height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, current.width, current.height);
  };
  const [a, b] = [pixelsOf(old), pixelsOf(current)];
  let pixels = 0;
  for (let at = 0; at < b.data.length; at += 4) {
    const distance = Math.max(...[0, 1, 2].map((part) => Math.abs(a.data[at + part] - b.data[at + part])));
    const grey = 255 - (255 - (b.data[at] + b.data[at + 1] + b.data[at + 2]) / 3) / 4;
    const changed = distance > 16;
    if (changed) pixels += 1;
    b.data.set(changed ? [220, 0, 0, 255] : [grey, grey, grey, 255], at);
  }
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [current.width, current.height];
  canvas.getContext('2d').putImageData(b, 0, 0);
  const same = old.width === current.width && old.height === current.height;
  return { pixels: same ? pixels : undefined, image: canvas.toDataURL() };
}`;

/** Compares the picture with an earlier one. If they differ, writes an image of the difference and returns what changed. */
export async function differenceBetween(
  page: Page,
  before: string,
  after: string,
  imageFile: string,
): Promise<string | undefined> {
  const urls = [before, after].map((file) => `data:image/png;base64,${readFileSync(file, 'base64')}`);
  const { pixels, image } = await page.evaluate<Difference>(`(${compare})(${JSON.stringify(urls)})`);
  if (pixels === 0) return undefined;
  writeFileSync(imageFile, Buffer.from(image.split(',')[1]!, 'base64'));
  return pixels === undefined ? 'another size' : `${pixels} pixels`;
}
