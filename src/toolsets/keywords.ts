/** Words that people use for what a tool does and that its name and description lack. Only the search reads them. */
export const keywords: Readonly<Record<string, string>> = {};
