// What a grammar costs beside a decode step.
#pragma once

namespace lectern::test {

/// Prints how long a mask takes over a synthetic vocabulary of 150,000 tokens, for sequences by a schema and by JSON at large.
void bench_grammar();

}  // namespace lectern::test
