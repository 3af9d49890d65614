/** Names of programming languages: from what authors write on a block of code to the document schema's words. */

const names = new Map(Object.entries({
  Ada: 'ada', Awk: 'awk gawk', Bash: 'bash sh shell zsh console shell-session', bc: 'bc', C: 'c h', 'C#': 'c# cs csharp', 'C++': 'c++ cpp cc cxx hpp',
  CMake: 'cmake', COBOL: 'cobol', CSS: 'css', Ceylon: 'ceylon', Clojure: 'clojure clj', Crystal: 'crystal', Cuda: 'cuda cu', Cython: 'cython pyx', D: 'd',
  Dart: 'dart', dc: 'dc', Dockerfile: 'dockerfile docker', Elixir: 'elixir ex', Erlang: 'erlang erl', FORTRAN: 'fortran f90 f77', Forth: 'forth', Go: 'go golang',
  HTML: 'html xhtml', Haskell: 'haskell hs', Haxe: 'haxe', Java: 'java', JavaScript: 'javascript js jsx mjs node', JSON: 'json jsonc', Julia: 'julia jl',
  Kotlin: 'kotlin kt', Latex: 'latex tex', Lisp: 'lisp elisp common-lisp', Lua: 'lua', Matlab: 'matlab', MoonScript: 'moonscript', Nim: 'nim', OCaml: 'ocaml ml',
  ObjectiveC: 'objectivec objective-c objc', Octave: 'octave', PHP: 'php', Pascal: 'pascal delphi', Perl: 'perl pl', Prolog: 'prolog',
  Python: 'python py python3 pycon ipython', Racket: 'racket', Ruby: 'ruby rb', Rust: 'rust rs', SML: 'sml', SQL: 'sql postgresql mysql sqlite', Scala: 'scala',
  Scheme: 'scheme', Swift: 'swift', Tikz: 'tikz', TypeScript: 'typescript ts tsx', VisualBasic: 'visualbasic vb vba vbnet', XML: 'xml svg', YAML: 'yaml yml',
}).flatMap(([name, words]) => words.split(' ').map((word) => [word, name] as const)));

/** The schema's name; undefined for a language that it does not know. */
export function languageName(word: string): string | undefined {
  return names.get(word.trim().toLowerCase());
}
