// The largest and the average of windows over planes, in floats.
#pragma once

#include "cpu/graph/convolution.h"

namespace lectern::cpu {

struct Pooling {
  bool average = false;        // else the largest
  bool count_padding = false;  // of an average: what lies in the padding counts as zeros
  Side vertical;
  Side horizontal;
};

/// out (planes, out_height, out_width) of in (planes, in_height, in_width). Windows may reach behind the padding, where nothing
/// counts; of nothing at all the average is 0, the largest minus infinity.
void pool(GraphContext& shop, const Pooling& pooling, int planes, int in_height, int in_width, int out_height, int out_width, const float* in, float* out);

}  // namespace lectern::cpu
