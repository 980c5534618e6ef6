import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { InspectIds } from '../../src/inspect-ids.js';
import './site.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('InspectIds', InspectIds);
  },
} satisfies Theme;
