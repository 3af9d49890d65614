/** Names of models: parts, defaults, and what is none. */
import t from 'tap';
import { displayName, parseModelName } from '../../src/models/model-name.js';

t.test('parts and defaults', (t) => {
  const cases: [string, string[], string][] = [
    ['qwen2.5:72b', ['registry.ollama.ai', 'library', 'qwen2.5', '72b'], 'qwen2.5:72b'],
    ['bge-m3', ['registry.ollama.ai', 'library', 'bge-m3', 'latest'], 'bge-m3:latest'],
    ['taozhiyuai/openbiollm-llama-3:70b_q4_k_m', ['registry.ollama.ai', 'taozhiyuai', 'openbiollm-llama-3', '70b_q4_k_m'], 'taozhiyuai/openbiollm-llama-3:70b_q4_k_m'],
    ['hf.co/user/Repo-GGUF:Q4_K_M', ['hf.co', 'user', 'Repo-GGUF', 'Q4_K_M'], 'hf.co/user/Repo-GGUF:Q4_K_M'],
    ['http://localhost:5000/library/tiny', ['localhost:5000', 'library', 'tiny', 'latest'], 'localhost:5000/library/tiny:latest'],
    ['registry.ollama.ai/library/bge-m3:latest', ['registry.ollama.ai', 'library', 'bge-m3', 'latest'], 'bge-m3:latest'],
  ];
  for (const [text, parts, shown] of cases) {
    const name = parseModelName(text);
    t.same(name && [name.host, name.namespace, name.model, name.tag], parts, text);
    t.equal(name && displayName(name), shown, text);
  }
  t.end();
});

t.test('what is no name', (t) => {
  for (const text of ['', ':', 'a:', ':b', 'a:b:c', '../x', 'a/../b', 'a//b', '/a', 'a/', 'x/y/z/w', 'mod el', '..:x', 'a:..', 'a:b/..', '../../etc/passwd', 'a'.repeat(81), 'name\n', '.hidden', 'host/../x:y', '../ns/x:y']) {
    t.equal(parseModelName(text), undefined, JSON.stringify(text));
  }
  t.end();
});
