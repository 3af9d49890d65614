/** Types of the lint rule for its test. */
import type { ESLint } from 'eslint';

declare const plugin: ESLint.Plugin;
export default plugin;
