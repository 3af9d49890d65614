/** Names of languages: from the codes of ISO 639 and BCP 47 that clients write to the names of Tesseract's data files. */

/** ISO 639-1 or -3 code and the data file, where the two differ from `xyz:xyz`. */
const table = `af:afr am:amh ar:ara as:asm az:aze be:bel bn:ben bo:bod br:bre bs:bos bg:bul ca:cat ceb:ceb cs:ces zh:chi_sim zh-hans:chi_sim zh-cn:chi_sim
  zh-hant:chi_tra zh-tw:chi_tra zh-hk:chi_tra chr:chr co:cos cy:cym da:dan de:deu dv:div dz:dzo el:ell en:eng enm:enm eo:epo et:est eu:eus fo:fao fa:fas
  fil:fil tl:fil fi:fin fr:fra frk:frk frm:frm fy:fry gd:gla ga:gle gl:glg grc:grc gu:guj ht:hat he:heb hi:hin hr:hrv hu:hun hy:hye iu:iku id:ind is:isl
  it:ita jv:jav ja:jpn kn:kan ka:kat kk:kaz km:khm ky:kir ku:kmr ko:kor lo:lao la:lat lv:lav lt:lit lb:ltz ml:mal mr:mar mk:mkd mt:mlt mn:mon mi:mri
  ms:msa my:mya ne:nep nl:nld no:nor nb:nor nn:nor oc:oci or:ori pa:pan pl:pol pt:por ps:pus qu:que ro:ron ru:rus sa:san si:sin sk:slk sl:slv sd:snd
  es:spa sq:sqi sr:srp su:sun sw:swa sv:swe syr:syr ta:tam tt:tat te:tel tg:tgk th:tha ti:tir to:ton tr:tur ug:uig uk:ukr ur:urd uz:uzb vi:vie yi:yid yo:yor`;

const fileOf = new Map(table.split(/\s+/u).map((pair) => pair.split(':') as [string, string]));
/** The bibliographic codes of ISO 639-2, where they differ from the terminological ones. */
const bibliographic = new Map('alb:sqi arm:hye baq:eus bur:mya chi:chi_sim cze:ces dut:nld fre:fra geo:kat ger:deu gre:ell ice:isl mac:mkd mao:mri may:msa per:fas rum:ron slo:slk tib:bod wel:cym'
  .split(' ').map((pair) => pair.split(':') as [string, string]));
const files = new Set(fileOf.values());

/** Every code that is understood, sorted: the data files' names and the codes of two letters. */
export const knownLanguages: readonly string[] = [...new Set([...fileOf.keys(), ...files])].sort();

/** The data file for a code in either case, with or without a region (`pt-BR`); a data file's own name stands for itself; null for anything else. */
export function dataFileOf(code: string): string | null {
  const wanted = code.trim().toLowerCase().replaceAll('_', '-');
  const whole = fileOf.get(wanted) ?? bibliographic.get(wanted);
  if (whole !== undefined) return whole;
  if (files.has(code.trim().toLowerCase())) return code.trim().toLowerCase();
  const language = wanted.split('-')[0] as string;
  return fileOf.get(language) ?? bibliographic.get(language) ?? (files.has(language) ? language : null);
}
