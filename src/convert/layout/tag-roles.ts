/** Roles of the tags of a tagged PDF, by marked content id. */
import type { StructureNode } from '../../pdf/pdf-page.js';

/** Gives the role of a marked content id, or ''. A span or link inherits the role of the heading or paragraph around it. */
export function tagRoles(structure: StructureNode[]): (mcid: number) => string {
  if (structure.length === 0) return () => '';
  const roles = new Map<number, string>();
  const visit = (node: StructureNode, inherited: string, depth: number): void => {
    // A span or link inside a heading is part of the heading.
    const role = /^(H[1-6]?|P|Caption|Note|Code|Formula|Artifact|TOCI|Title|BlockQuote|LBody|Lbl)$/.test(node.role) ? node.role : inherited;
    for (const mcid of node.mcids) roles.set(mcid, role);
    if (depth < 100) for (const child of node.children) visit(child, role, depth + 1);
  };
  for (const node of structure) visit(node, '', 0);
  return (mcid) => roles.get(mcid) ?? '';
}
