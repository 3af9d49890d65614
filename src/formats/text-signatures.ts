/** Signatures by which texts of some formats are recognised, checked before their readers are loaded. */

/** Whether a text is a WebVTT file. */
export function isWebVtt(text: string): boolean {
  return /^\ufeff?WEBVTT(?:[ \t\r\n]|$)/.test(text);
}

/** Whether a text is a manual page in roff: comments and requests, then its title (`.TH`, or `.Dd` of mdoc). */
export function isManualPage(head: string): boolean {
  for (const line of head.split('\n', manualHeadLines)) {
    if (/^\.(?:TH|Dd)[ \t]+\S/.test(line)) return true;
    // Blank lines, comments, and the requests that set up a page.
    if (!/^(?:\s*$|[.'][ \t]*(?:\\|(?:ig|de|if|ie|el|ds|nr|tr|ftr|so)\b|\.|\s*$))/.test(line)) return false;
  }
  return false;
}

/** Most lines that may stand before the title: a licence and some definitions. */
const manualHeadLines = 400;

/** Whether an XML file, what stands before its first element aside, is a paper in JATS: DocBook's articles have neither this document type nor these attributes or parts. */
export function isJats(markup: string): boolean {
  if (/^<!DOCTYPE\s+(?:article|pmc-articleset)\s+PUBLIC\s+["']-\/\/NLM\/\/DTD /.test(markup)) return true;
  const root = markup.replace(/^<!DOCTYPE[^[>]*>\s*/, '');
  // Books of the same family (BITS).
  if (/^<!DOCTYPE\s+book\S*\s+PUBLIC\s+["']-\/\/NLM\/\/DTD /.test(markup) || /^<(?:book|book-part-wrapper)(?:\s[^>]*)?>(?:\s|<[?!][^>]*>)*<(?:processing-meta|collection-meta|book-meta|book-part)[\s>]/.test(root)) return true;
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

const flatKinds: Record<string, string> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' };

/** The contract's name of an OpenDocument file that is one XML file (.fodt, .fods, .fodp), by what stands before its first elements; null where it is none. */
export function flatKind(head: string): string | null {
  const root = /^\ufeff?\s*(?:<[?!][^>]*>\s*)*<office:document\s[^>]*>/.exec(head.slice(0, 65_536))?.[0];
  const kind = root === undefined ? undefined : /\boffice:mimetype="application\/vnd\.oasis\.opendocument\.(\w+)/.exec(root)?.[1];
  return kind === undefined ? null : flatKinds[kind] ?? null;
}

/** Roots of DocBook that other vocabularies have, too, count with its namespace or its document type alone. */
const vocabularies: [name: string, sign: RegExp][] = [
  ['fb2', /^<FictionBook[\s>]/], ['tei', /^<(?:TEI|teiCorpus|TEI\.2)[\s>]/], ['xml_xbrl', /^<(?:\w+:)?xbrl\s[^>]*http:\/\/www\.xbrl\.org\/2003\/instance/], ['xml_uspto', /^<us-patent-(?:grant|application)[\s>]/],
  ['docbook', /^<(?:book|article|chapter|part|set|refentry|section|appendix|preface|topic)\s[^>]*http:\/\/docbook\.org\/ns\/docbook/],
];

/** The contract's name of an XML vocabulary, by the first element of the file, what stands before it aside; or null. */
export function vocabularyOf(markup: string): string | null {
  if (/^<!DOCTYPE\s+\w+\s+PUBLIC\s+["']-\/\/(?:OASIS|Norman Walsh)\/\/DTD (?:Simplified )?DocBook/i.test(markup)) return 'docbook';
  const root = markup.replace(/^<!DOCTYPE[^[>]*(?:\[[^\]]*\]\s*)?>\s*/i, '');
  return vocabularies.find(([, sign]) => sign.test(root))?.[0] ?? null;
}
