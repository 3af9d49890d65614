/** Names of languages: from what clients write (ISO 639 and BCP 47, the codes of OCR engines, English names) to the names of Tesseract's data files. */

/** ISO 639-1 or -3 code and the data file, where the two differ from `xyz:xyz`. */
const table = `af:afr am:amh ar:ara as:asm az:aze be:bel bn:ben bo:bod br:bre bs:bos bg:bul ca:cat ceb:ceb cs:ces zh:chi_sim zh-hans:chi_sim zh-cn:chi_sim
  zh-hant:chi_tra zh-tw:chi_tra zh-hk:chi_tra chr:chr co:cos cy:cym da:dan de:deu dv:div dz:dzo el:ell en:eng enm:enm eo:epo et:est eu:eus fo:fao fa:fas
  fil:fil tl:fil fi:fin fr:fra frk:frk frm:frm fy:fry gd:gla ga:gle gl:glg grc:grc gu:guj ht:hat he:heb hi:hin hr:hrv hu:hun hy:hye iu:iku id:ind is:isl
  it:ita jv:jav ja:jpn kn:kan ka:kat kk:kaz km:khm ky:kir ku:kmr ko:kor lo:lao la:lat lv:lav lt:lit lb:ltz ml:mal mr:mar mk:mkd mt:mlt mn:mon mi:mri
  ms:msa my:mya ne:nep nl:nld no:nor nb:nor nn:nor oc:oci or:ori pa:pan pl:pol pt:por ps:pus qu:que ro:ron ru:rus sa:san si:sin sk:slk sl:slv sd:snd
  es:spa sq:sqi sr:srp su:sun sw:swa sv:swe syr:syr ta:tam tt:tat te:tel tg:tgk th:tha ti:tir to:ton tr:tur ug:uig uk:ukr ur:urd uz:uzb vi:vie yi:yid yo:yor`;

function pairs(text: string): Map<string, string> {
  return new Map(text.split(/\s+/u).map((pair) => pair.split(':') as [string, string]));
}

const fileOf = pairs(table);
/** The bibliographic codes of ISO 639-2, where they differ from the terminological ones. */
const bibliographic = pairs('alb:sqi arm:hye baq:eus bur:mya chi:chi_sim cze:ces dut:nld fre:fra geo:kat ger:deu gre:ell ice:isl mac:mkd mao:mri may:msa per:fas rum:ron slo:slk tib:bod wel:cym');
/** Languages whose data file depends on the script, by language and script. */
const byScript = pairs('az-cyrl:aze_cyrl de-latf:frk sr-latn:srp_latn uz-cyrl:uzb_cyrl zh-hans:chi_sim zh-hant:chi_tra');
/**
 * The codes of EasyOCR and PP-OCR that are no codes of ISO 639, the names of their models of a whole script (each stands for one language that is written in it), and data files of
 * Tesseract that are variants of another.
 */
const engineCodes = pairs(`ch:chi_sim ch_sim:chi_sim ch_tra:chi_tra chinese_cht:chi_tra japan:jpn rs_latin:srp_latn rs_cyrillic:srp tjk:tgk latin:eng cyrillic:rus eslav:rus arabic:ara devanagari:hin
  chi_sim_vert:chi_sim_vert chi_tra_vert:chi_tra_vert jpn_vert:jpn_vert kor_vert:kor_vert srp_latn:srp_latn aze_cyrl:aze_cyrl uzb_cyrl:uzb_cyrl deu_latf:deu_latf`);
const files = new Set(fileOf.values());

/** Every code of ISO 639 and BCP 47 that is understood, and the data files' names, sorted. */
export const knownLanguages: readonly string[] = [...new Set([...fileOf.keys(), ...files])].sort();

const isoPrefix = 'iso:';

let namesInEnglish: Map<string, string> | undefined;

/** English names in small letters (`german`, `simplified chinese`), made when the first is asked for. */
function englishNames(): Map<string, string> {
  if (namesInEnglish === undefined) {
    const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
    namesInEnglish = new Map([...fileOf].map(([code, file]) => [(names.of(code) ?? code).toLowerCase(), file]));
  }
  return namesInEnglish;
}

/** The data file for a tag of BCP 47. Old codes (`iw`) and regions that imply a script (`zh-TW`) are resolved as CLDR does; null where the language is not written in the tag's script. */
function fileOfTag(tag: string): string | null {
  try {
    const locale = new Intl.Locale(tag);
    const { language } = locale;
    const script = locale.maximize().script ?? '';
    const special = byScript.get(`${language}-${script}`.toLowerCase());
    if (special !== undefined) return special;
    const usual = new Intl.Locale(language).maximize().script ?? '';
    if (script !== usual) return null;
    return fileOf.get(language) ?? (files.has(language) ? language : null);
  } catch {
    return null;
  }
}

/**
 * The data file for what a client calls a language, in either case; null for anything else. Behind `iso:` stands a tag of BCP 47 (`iso:de-Latn`). Otherwise it is a code of
 * ISO 639 with or without script and region (`pt-BR`), a data file's own name, a code of another engine (`ch_sim`, `japan`) or an English name (`german`).
 */
export function dataFileOf(code: string): string | null {
  const wanted = code.trim().toLowerCase();
  if (wanted.startsWith(isoPrefix)) return fileOfTag(wanted.slice(isoPrefix.length));
  const tag = wanted.replaceAll('_', '-');
  const whole = fileOf.get(tag) ?? bibliographic.get(tag) ?? engineCodes.get(wanted) ?? englishNames().get(wanted);
  if (whole !== undefined) return whole;
  if (files.has(wanted)) return wanted;
  const [language = ''] = tag.split('-');
  return fileOfTag(tag) ?? fileOf.get(language) ?? bibliographic.get(language) ?? (files.has(language) ? language : null);
}

/** Edits that make one text of the other: insertions, deletions, replacements. Time and memory by the product of the lengths. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}

const mostNear = 3;
/** No name of a language is longer; of longer texts the beginning is compared. */
const longestName = 40;

/** The three names of languages that are most like an unknown one, the nearest first. */
export function nearLanguages(unknown: string): string[] {
  const lowered = unknown.trim().toLowerCase();
  const wanted = (lowered.startsWith(isoPrefix) ? lowered.slice(isoPrefix.length) : lowered).slice(0, longestName);
  const rated = [...new Set([...knownLanguages, ...engineCodes.keys(), ...englishNames().keys()])].map((name) => ({
    // Short codes are a few edits from everything: what counts is the share of the name that stays.
    name, distance: editDistance(wanted, name) / Math.max(wanted.length, name.length),
  }));
  return rated.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1)).slice(0, mostNear).map(({ name }) => name);
}
