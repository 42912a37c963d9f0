import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from './browser.ts';

/** A screen of a walk: its visible words, the words that it explains, and what a person can follow or press on it. */
export interface Screen {
  readonly title: string;
  readonly text: string;
  readonly explained: readonly string[];
  readonly ways: readonly string[];
}

/**
 * Collects a screen. Runs in the browser. A visible `dfn` explains its word with the sentence around it, an `abbr` with its title.
 * Code, output and the texts of prompts are not words of the page.
 */
const collectScreen = `(() => {
  const isVisible = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return element.checkVisibility() && width > 1 && height > 1;
  };
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isVisible);
  const parts = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement, data } = texts.currentNode;
    if (isVisible(parentElement) && !parentElement.closest('code, pre, kbd, .list-row, .timeline')) parts.push(data);
  }
  for (const option of document.querySelectorAll('select option')) if (isVisible(option.parentElement)) parts.push(option.text);
  for (const field of all('[placeholder]')) parts.push(field.placeholder);
  const isSentence = (text) => text.split(/\\s+/).length > 6;
  const explained = [
    ...all('dfn').filter((one) => isSentence(one.closest('p, li, small').textContent)),
    ...all('abbr[title]').filter((one) => isSentence(one.title)),
  ];
  return {
    text: parts.join('\\n'),
    explained: explained.map((one) => one.textContent.toLowerCase().replace(/s$/, '')),
    ways: all('main :is(a[href], button:enabled)').map((way) => way.textContent),
  };
})()`;

/**
 * A path through the page as a person takes it: one address, then only links, buttons and fields that are visible.
 * If a folder is given, every screen is recorded there as a picture and as text.
 */
export class Walk {
  readonly #page: Page;
  readonly #folder: string | undefined;
  readonly screens: Screen[] = [];

  private constructor(page: Page, folder: string | undefined) {
    this.#page = page;
    this.#folder = folder;
  }

  static async from(address: string, page: Page, folder: string | undefined): Promise<Walk> {
    if (folder !== undefined) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    }
    await page.goto(address);
    return new Walk(page, folder);
  }

  /** Follows a link or presses a button. Playwright clicks only what is visible, enabled and not covered. */
  async press(role: 'link' | 'button', name: string | RegExp): Promise<void> {
    await this.#page
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .click();
  }

  /** Fills in the field whose label starts with these words. */
  async fill(label: string, text: string): Promise<void> {
    await this.#page.getByLabel(new RegExp(`^${label}`)).fill(text);
  }

  async choose(label: string, value: string): Promise<void> {
    await this.#page.getByLabel(label).selectOption(value);
  }

  valueOf(label: string): Promise<string> {
    return this.#page.getByLabel(label).inputValue();
  }

  async sees(text: string | RegExp, timeout = 15_000): Promise<Locator> {
    const found = this.#page.getByText(text).first();
    await found.waitFor({ timeout }).catch(async (error) => {
      await this.record('Failure');
      throw error;
    });
    return found;
  }

  /** The text in monospace, as somebody copies it, that starts like this. */
  async code(start: RegExp): Promise<string> {
    const found = this.#page.locator('code').getByText(start).first();
    await found.waitFor();
    return (await found.textContent())!;
  }

  /** Waits until a step of the first steps is done. */
  async done(step: string): Promise<void> {
    await this.#page.locator('.first-steps > li.done').getByText(step).waitFor({ timeout: 40_000 });
  }

  /** Records the screen. */
  async record(title: string): Promise<void> {
    const screen = await this.#page.evaluate<Omit<Screen, 'title'>>(collectScreen);
    this.screens.push({ title, ...screen });
    if (this.#folder === undefined) return;
    const number = String(this.screens.length).padStart(2, '0');
    const file = join(this.#folder, `${number}-${title.toLowerCase().replace(/\W+/g, '-')}`);
    writeFileSync(`${file}.txt`, `${await this.#page.evaluate<string>('document.body.innerText')}\n`);
    await this.#page.screenshot({ path: `${file}.png` });
  }
}

/** Words that are on a screen, but explained neither there nor on an earlier one. */
export function unexplained(screens: readonly Screen[], words: readonly string[]): readonly string[] {
  const known = new Set<string>();
  return screens.flatMap(({ title, text, explained }) => {
    for (const word of explained) known.add(word);
    return words
      .filter((word) => formsOf(word).test(text) && !known.has(word.toLowerCase()))
      .map((word) => `${title}: ${word}`);
  });
}

/** The word and its plural. */
function formsOf(word: string): RegExp {
  return new RegExp(`(?<![\\w-])${word.replace(/y$/, '(y|ie)')}s?\\b`, 'i');
}
