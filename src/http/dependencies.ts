/** What the HTTP room is given by the one who puts the program together; tests give fakes. */
import type { ConversionMeta, ConversionPayload, ConversionSummary } from '../convert/task/payload.js';
import type { PageImages } from '../convert/task/page-images.js';
import type { TaskTable, TaskView } from '../tasks/types.js';
import type { Gate } from './access-gate.js';
import type { ResolveHost } from './outbound/destination.js';
import type { LanguageServices } from './language.js';
import type { Patience } from './patience.js';
import type { HttpSettings } from './settings.js';

export type ConversionTasks = TaskTable<ConversionPayload, ConversionMeta, ConversionSummary>;
export type ConversionTaskView = TaskView<ConversionMeta, ConversionSummary>;

/** pino's shape, as far as it is used here. Never the content of a document. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What the converter can do today; options that ask for more are named in the answer as ignored. */
export interface Abilities {
  textRecognition: boolean;
  formulas: boolean;
  code: boolean;
  /** Names of the installed text models, as they are while the request is read. */
  textModels?: readonly string[];
}

export interface HttpDependencies {
  settings: HttpSettings;
  tasks: ConversionTasks;
  log: Log;
  /** Of the program. */
  version: string;
  abilities: Abilities;
  /** Installed text models, which a request may name; absent: none. */
  textModels?: () => Promise<{ name: string }[]>;
  /** Null when work is taken on; else the sentence of the 503. */
  notReady?: () => string | null | Promise<string | null>;
  /** Language models; absent where only documents are served. */
  language?: LanguageServices;
  /** Lines of Prometheus text that other rooms contribute to /metrics. */
  moreMetrics?: () => string;
  /** Conversions that run at once. */
  workers?: number;
  /** Draws pages of kept documents; absent: none are drawn. */
  pageImages?: PageImages;
  /** Who may enter, and as what; absent: everyone, with all rights. */
  gate?: Gate;
  /** With slow senders; absent: the usual one. */
  patience?: Patience;
  /** Instead of the system's resolver, for tests. */
  resolveHost?: ResolveHost;
}
