/**
 * A lint rule for code that measures: numbers in a function need a name. It counts the numeric literals of each function, other than 0, 1 and 2, and reports
 * functions with more than `most` of them. A literal in a nested function counts for those around it, too. Const tables at the top of a module are not counted.
 */

const free = new Set([0, 1, 2]);

/** -1 is the literal 1 with a sign, and counts as it. */
function isFree(node) {
  return typeof node.value === 'number' && free.has(node.value);
}

/** An array index is no measure. */
function isIndex(node) {
  const { parent } = node;
  return parent.type === 'MemberExpression' && parent.computed && parent.property === node;
}

const literals = {
  meta: {
    type: 'suggestion',
    docs: { description: 'limit the numeric literals of a function, so that thresholds get a name and a unit' },
    schema: [{ type: 'object', properties: { most: { type: 'integer', minimum: 0 } }, additionalProperties: false }],
    messages: { tooMany: '{{name}} has {{count}} numeric literals other than 0, 1 and 2; at most {{most}} may stand in a function. Give them names and units in a const table.' },
  },
  create(context) {
    const most = context.options[0]?.most ?? 3;
    const open = [];
    const enter = () => open.push(0);
    const leave = (node) => {
      const count = open.pop();
      if (open.length > 0) open[open.length - 1] += count;
      if (count <= most) return;
      const name = node.id?.name ?? (node.parent.type === 'VariableDeclarator' && node.parent.id.name) ?? (node.parent.key?.name || null);
      context.report({ node, messageId: 'tooMany', data: { name: name ? `Function '${name}'` : 'A function', count: String(count), most: String(most) } });
    };
    return {
      FunctionDeclaration: enter, FunctionExpression: enter, ArrowFunctionExpression: enter,
      'FunctionDeclaration:exit': leave, 'FunctionExpression:exit': leave, 'ArrowFunctionExpression:exit': leave,
      Literal(node) {
        if (open.length === 0 || typeof node.value !== 'number' || isFree(node) || isIndex(node) || node.parent.type === 'TSLiteralType') return;
        open[open.length - 1]++;
      },
    };
  },
};

export default { rules: { literals } };
