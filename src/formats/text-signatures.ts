/** Signatures by which texts of some formats are recognised, checked before their readers are loaded. */

/** Whether a text is a WebVTT file. */
export function isWebVtt(text: string): boolean {
  return /^\ufeff?WEBVTT(?:[ \t\r\n]|$)/.test(text);
}

/** Whether an XML file, what stands before its first element aside, is a paper in JATS: DocBook's articles have neither this document type nor these attributes or parts. */
export function isJats(markup: string): boolean {
  if (/^<!DOCTYPE\s+(?:article|pmc-articleset)\s+PUBLIC\s+["']-\/\/NLM\/\/DTD /.test(markup)) return true;
  const root = markup.replace(/^<!DOCTYPE[^[>]*>\s*/, '');
  return /^(?:<pmc-articleset[\s>]|<article\s[^>]*\b(?:article-type|dtd-version)=|<article(?:\s[^>]*)?>(?:\s|<[?!][^>]*>)*<(?:front|front-stub|processing-meta)[\s>])/.test(root);
}

/** Whether a file begins with a mail's headers. */
export function looksLikeMail(head: string): boolean {
  const lines = head.replace(/^From .*\r?\n/, '').split(/\r?\n/, 40);
  const names = new Set<string>();
  for (const line of lines) {
    if (line === '') break;
    const name = /^([A-Za-z][A-Za-z0-9-]*):/.exec(line)?.[1];
    if (name !== undefined) names.add(name.toLowerCase());
    else if (!/^[ \t]/.test(line)) return false;
  }
  const known = ['from', 'to', 'subject', 'date', 'message-id', 'mime-version', 'received', 'return-path', 'content-type', 'delivered-to'];
  return known.filter((name) => names.has(name)).length >= 3;
}
