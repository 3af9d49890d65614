/** Documents whose contents or names try to run a script in the page that shows them. Each would set `hit`, or open a dialog, where it succeeds. */

export interface HostileDocument {
  name: string;
  text: string;
}

const call = 'window.hit=1';

/** As they stand in HTML; the first publication of most is OWASP's list of filter evasions. */
const markup = [
  `<script>${call}</script>`, `<img src=x onerror="${call}">`, `<svg onload="${call}"></svg>`, `<svg><script>${call}</script></svg>`, `<iframe srcdoc="<script>parent.${call}</script>"></iframe>`,
  `<a href="javascript:${call}">link</a>`, `<a href="java&#09;script:${call}">link</a>`, `<details open ontoggle="${call}">x</details>`, `<body onload="${call}">`, `<input autofocus onfocus="${call}">`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${call}"></style></mglyph></table></mtext></math>`, `<form action="javascript:${call}"><button>go</button></form>`, `<object data="javascript:${call}"></object>`,
  `<video><source onerror="${call}"></video>`, `<style>@import "javascript:${call}";</style>`, `<link rel="stylesheet" href="javascript:${call}">`, `<base href="javascript:${call}//">`, `<template><script>${call}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${call}>">`, `<svg><animate onbegin="${call}" attributeName="x" dur="1s"></svg>`, `<svg><a xlink:href="javascript:${call}"><text y="20">x</text></a></svg>`,
  `<marquee onstart="${call}">x</marquee>`, `"><script>${call}</script>`, `'';!--"<x>=&{()}<img src=x onerror=${call}>`, `<meta http-equiv="refresh" content="0;url=javascript:${call}">`,
];

const marks = [
  `[link](javascript:${call})`, `[link](JaVaScRiPt:${call})`, `![picture](javascript:${call})`, `[link](data:text/html,<script>${call}</script>)`, `![x](x"onerror="${call})`, `<javascript:${call}>`, `[a]: javascript:${call}\n\n[a]`,
  `[x](https://a.example/"onmouseover="${call})`, `| <img src=x onerror=${call}> | b |\n|---|---|\n| <script>${call}</script> | d |`, `\`\`\`html\n<script>${call}</script>\n\`\`\``, `# <img src=x onerror=${call}>`, `- <svg onload=${call}>`,
  `$\\href{javascript:${call}}{x}$`, `$$\\text{<img src=x onerror=${call}>}$$`, `$\\class{x" onmouseover="${call}}{y}$`,
];

const names = [
  `<img src=x onerror=${call}>.md`, `"><svg onload=${call}>.md`, `javascript:${call}.md`, `'-${call}-'.md`, `${'<script>'}${call}${'<'}\u2215script>.md`, `\u202Egnp.${call}.md`, `{{constructor.constructor('${call}')()}}.md`, `\${${call}}.md`,
];

/** Sixty, of five formats. */
export const hostileDocuments: HostileDocument[] = [
  ...markup.map((text, index) => (index % 2 === 0 ? { name: `page-${index}.html`, text: `<html><body><h1>Page ${index}</h1>${text}<p>end</p></body></html>` } : { name: `marks-${index}.md`, text: `# Page ${index}\n\n${text}\n\nend` })),
  ...marks.map((text, index) => ({ name: `text-${index}.md`, text: `Before\n\n${text}\n\nAfter` })),
  ...names.map((name) => ({ name, text: '# A name that is none\n\nText.' })),
  ...markup.slice(0, 6).map((text, index) => ({ name: `table-${index}.csv`, text: `a,b\n"${text.replaceAll('"', '""')}",2\n` })),
  ...markup.slice(0, 3).map((text, index) => ({ name: `mail-${index}.eml`, text: `From: a@b.example\nTo: c@d.example\nSubject: ${text}\nMIME-Version: 1.0\nContent-Type: text/html\n\n<p>${text}</p>\n` })),
  ...markup.slice(0, 3).map((text, index) => ({ name: `data-${index}.json`, text: JSON.stringify([{ [text]: text }]) })),
];
