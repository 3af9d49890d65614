// What language models cost on this machine, beside what its memory and its multipliers can do.
#pragma once

namespace lectern::cpu {
class Threads;
}

namespace lectern::test {

/// Bytes a second that all threads together read from memory.
double read_bandwidth(cpu::Threads& threads);

/// Prints the machine's limits, the kernels by weight type, and whole models of published shapes with random weights.
void bench_llm();

}  // namespace lectern::test
