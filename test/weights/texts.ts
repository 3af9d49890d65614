/** What `npm run conformance:real` feeds to both engines. */

/** For tokenizers: scripts, white space, code, digits, emoji, combining marks, and texts like special tokens. */
export const hardTexts: readonly string[] = [
  'Hello, world!', ' leading and trailing ', 'two  spaces   three    four', 'tab\there\n\nand\r\nlines\n', '\n', '   ', "I'm sure they've said it's John's; WE'LL see, you'd know.",
  '0 12 345 6789 1234567890 3.14159 1,000,000 0x1F', 'camelCase snake_case kebab-case SCREAMING_CASE XMLHttpRequest', 'def f(x):\n    return x**2  # square\n', 'for (let i=0;i<10;i++){a[i]+=i;}\n\t}', '<div class="a">&amp;</div>',
  'naïve café Ærøskøbing Straße ﬁne ½ ²', 'e\u0301 and \u00e9, n\u0303 and ñ', 'Ελληνικά ΑΒΓ', 'Привет, мир! ЁЖ', 'مرحبا بالعالم', 'שלום עולם', 'नमस्ते दुनिया', 'สวัสดีชาวโลก', '你好，世界。今天天气很好', 'こんにちは世界カタカナ', '안녕하세요 세계',
  '🙂🙃👩‍👩‍👧‍👦🇩🇪👍🏽', 'a\u200bb\u00a0c\u2028d\u3000e', 'http://example.com/path?q=1&r=%20#frag user@example.com', '!!!???...---___***', '"quotes" \u201ccurly\u201d \u2018single\u2019 \u00abfr\u00bb', '\u2581under\u2581score', '<s></s><unk>[CLS]<|im_start|>',
  'abc'.repeat(30), 'The quick brown fox jumps over the lazy dog. '.repeat(8), '中'.repeat(40), 'ﷺ ㍿ 𝕳𝖊𝖑𝖑𝖔 𐍈', 'ÀÉÎÕÜ àéîõü ÿ Ÿ', 'a\u0000b', '€£¥₹ ±×÷≠≤≥∞', "can't won't shan't 'tis '90s rock'n'roll", '1st 2nd 3rd 4th 21st-century', '\\n is not a newline; C:\\temp\\x',
];

/** For greedy decoding: beginnings of many kinds. */
export const prompts: readonly string[] = [
  'The capital of France is', 'Once upon a time, there was a', 'def fibonacci(n):\n', 'The three primary colors are', 'In 1969, the first humans', 'Water boils at', 'The opposite of hot is', 'import numpy as np\n', 'Dear Sir or Madam,\n', 'Roses are red,',
  'The largest planet in the solar system is', 'Q: What is 2 + 2?\nA:', 'SELECT name FROM', 'To be, or not to be,', 'The recipe needs two eggs,', 'Monday, Tuesday, Wednesday,', '1, 2, 3, 4, 5,', 'class Stack:\n    def __init__(self):\n', 'A triangle has', 'The quick brown fox',
  'Photosynthesis is the process by which', 'My favourite book is', 'The meeting starts at', '#include <stdio.h>\n\nint main', 'The president of the United States', 'Shakespeare wrote', 'An apple a day', 'The chemical symbol for gold is', 'In the beginning', 'function add(a, b) {',
  'The weather today is', 'She opened the door and', 'Machine learning is', '{"name": "Alice", "age":', 'The Great Wall of China', 'Translate to French: Good morning ->', 'The speed of light is', 'List of fruits:\n- apple\n-', 'Paris, London, Berlin and', 'It was a dark and stormy night;',
];
