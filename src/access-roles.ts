/** The roles that every access list knows, for the commands, which may not look into the HTTP room. */
export { standardRoles } from './http/access-list.js';
