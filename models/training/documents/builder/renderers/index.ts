/** The renderers by name. */
import { ChromiumRenderer } from './chromium.js';
import { LatexRenderer } from './latex.js';
import { LibreOfficeRenderer } from './libreoffice.js';
import type { Renderer } from './renderer.js';

/** Tabs of one browser that print at once: while one prints, the other's document is read. */
const TABS = 3;

export const rendererNames = ['chromium', 'latex', 'libreoffice'] as const;

export async function rendererOf(name: string): Promise<Renderer> {
  switch (name) {
    case 'chromium':
      return new ChromiumRenderer(TABS);
    case 'latex':
      return new LatexRenderer();
    case 'libreoffice':
      return new LibreOfficeRenderer();
    default:
      throw new Error(`There is no renderer '${name}': ${rendererNames.join(', ')}.`);
  }
}
