/** The settings of the HTTP room: a part of the settings table, by the same names. */
import type { Network } from '../network/address.js';

export interface HttpSettings {
  listen: { host: string; port: number }[];
  /** Seconds a synchronous conversion waits before it answers 504. */
  syncWait: number;
  /** Seconds one document may take at most. */
  documentTimeout: number;
  /** Bytes of one document, as a file or decoded from base64. */
  maxFileSize: number;
  /** Documents in one request. */
  maxFiles: number;
  maxPages: number;
  maxImagesScale: number;
  /** Installed models that a request may name as its reader of text; absent: none. */
  textModels?: readonly string[];
  /** Options that are unknown or cannot be honoured are 422 instead of a header. */
  strictOptions: boolean;
  /** Hosts that documents may be fetched from: `host`, `host:port`, `*.domain`; empty switches fetching off. */
  httpSources: string[];
  /** Hosts that callbacks may be sent to, in the same notation; empty switches callbacks off. */
  callbackHosts: string[];
  /** Web origins, or `*`. */
  corsOrigins: string[];
  /** Names other than loopback ones by which a service that listens on loopback only may be addressed (a proxy in front of it). */
  allowedHosts?: string[];
  showVersion: boolean;
  /** Path of the file of networks, keys and roles; null: there is none. */
  accessList: string | null;
  /** Addresses of the network without an access list. */
  allowAll: boolean;
  /** Roles of the list that may enter. */
  allowedRoles: string[];
  /** Whether every caller that may enter sees the tasks of all others. */
  sharedTasks: boolean;
  /** Whose x-forwarded-for is believed. */
  trustedProxies: Network[];
  /** Large bodies that one caller may send at a time; absent: no bound. */
  uploadsPerCaller?: number;
  /** Bytes a second that a body must bring after its first 30 s; absent: the usual rate. */
  minUploadRate?: number;
}
