// The code books of GGUF's IQ types. An entry is eight elements of two bits, or (IQ3) four of three bits, the first element lowest.
#pragma once

#include <cstdint>

namespace lectern {

extern const std::uint16_t iq1_entries[2048];
extern const std::uint16_t iq2_xxs_entries[256];
extern const std::uint16_t iq2_xs_entries[512];
extern const std::uint16_t iq2_s_entries[1024];
extern const std::uint16_t iq3_xxs_entries[256];
extern const std::uint16_t iq3_s_entries[512];

}  // namespace lectern
