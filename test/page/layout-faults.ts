import type { Page } from './browser.ts';

/** What is wider than the window, and what can be pressed but is smaller than 24 pixels. Runs in the browser. */
const collectFaults = `(() => {
  const faults = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push('is ' + (scrollWidth - innerWidth) + ' pixels wider than the window');
  const pressable = 'button, a[href], select, summary, input, textarea, [role=tab], [role=option], [role=separator]';
  for (const element of document.querySelectorAll(pressable)) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest('.hidden')) continue;
    // A label belongs to its field, some links cover their row, and links in a sentence are as high as its lines.
    const covers = element.matches('a') && getComputedStyle(element, '::after').position === 'absolute';
    const target = element.closest(covers ? '.list-row' : 'label') ?? element;
    const { width, height } = target.getBoundingClientRect();
    if (width === 0 || height === 0 || element.matches('input.hidden, .divider')) continue;
    const isInText = element.matches('a, button.link') && getComputedStyle(element).display === 'inline';
    if (!isInText && (width < 23.9 || height < 23.9))
      faults.push('too small to press: ' + element.outerHTML.slice(0, 120) + ' (' + Math.round(width) + ' × ' + Math.round(height) + ')');
  }
  return faults;
})()`;

/** Faults of the layout of the shown view, for texts in a direction. */
export async function faultsOf(page: Page, direction: string): Promise<readonly string[]> {
  await page.evaluate(`document.documentElement.dir = '${direction}'`);
  return page.evaluate<readonly string[]>(collectFaults);
}
