const key = 'adjutant-theme';
const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export function currentTheme(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(key)) ?? 'auto';
}

export function applyTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length]!;
}
