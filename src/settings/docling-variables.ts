/** Variables of docling-serve's environment that name a setting of ours: a host that ran that service keeps its limits. */

/** Names in the table of settings; a wrong one does not compile where the table is read. */
type DoclingSetting =
  | 'corsOrigins' | 'documentTimeout' | 'logLevel' | 'maxFileSize' | 'maxFiles' | 'maxImagesScale' | 'maxPages' | 'resultTtl' | 'showVersion' | 'syncWait' | 'workers';

const prefix = 'DOCLING_SERVE_';

interface Variable {
  setting: DoclingSetting;
  /** The value as our setting takes it; absent: as it is. */
  convert?: (text: string) => string;
  /** How the value is read, for the documentation. */
  note: string;
}

/** Python's names of levels. */
const levels: Record<string, string> = { critical: 'error', warning: 'warn' };

/** A list as JSON (`["*"]`), or with commas. */
function withCommas(text: string): string {
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) ? value.join(',') : text;
  } catch {
    return text;
  }
}

/** By the variable's name behind the prefix. */
export const doclingVariables: Readonly<Record<string, Variable>> = {
  MAX_SYNC_WAIT: { setting: 'syncWait', note: 'seconds' },
  MAX_DOCUMENT_TIMEOUT: { setting: 'documentTimeout', note: 'seconds' },
  MAX_NUM_PAGES: { setting: 'maxPages', note: 'pages' },
  MAX_FILE_SIZE: { setting: 'maxFileSize', note: 'bytes' },
  MAX_SOURCES_PER_REQUEST: { setting: 'maxFiles', note: 'documents' },
  MAX_IMAGES_SCALE: { setting: 'maxImagesScale', note: 'a number' },
  ENG_LOC_NUM_WORKERS: { setting: 'workers', note: 'documents at the same time' },
  ENG_RQ_RESULTS_TTL: { setting: 'resultTtl', note: 'seconds' },
  SHOW_VERSION_INFO: { setting: 'showVersion', note: 'true or false' },
  CORS_ORIGINS: { setting: 'corsOrigins', convert: withCommas, note: 'a list as JSON, or with commas' },
  LOG_LEVEL: { setting: 'logLevel', convert: (text) => levels[text.toLowerCase()] ?? text.toLowerCase(), note: 'WARNING is warn, CRITICAL is error' },
};

export interface DoclingVariables {
  /** The text for a setting, and the variable that it comes from. */
  found: Map<string, { text: string; place: string }>;
  /** Variables of docling-serve that name no setting of ours. */
  notRead: string[];
}

export function readDoclingVariables(environment: Readonly<Record<string, string | undefined>>): DoclingVariables {
  const found: DoclingVariables['found'] = new Map();
  const notRead: string[] = [];
  for (const [place, text] of Object.entries(environment)) {
    if (!place.startsWith(prefix) || text === undefined) continue;
    const variable = doclingVariables[place.slice(prefix.length)];
    if (variable === undefined) notRead.push(place);
    // There an empty value means the default.
    else if (text.trim() !== '') found.set(variable.setting, { text: variable.convert?.(text) ?? text, place: `${place} in the environment` });
  }
  return { found, notRead: notRead.sort() };
}
