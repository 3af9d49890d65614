// The maximum and the average of windows over planes, in floats.
#pragma once

#include "cpu/graph/convolution.h"

namespace lectern::cpu {

struct Pooling {
  bool average = false;        // otherwise the maximum
  bool count_padding = false;  // for an average: padding counts as zeros
  Side vertical;
  Side horizontal;
};

/// out (planes, out_height, out_width) of in (planes, in_height, in_width). Windows may extend beyond the padding, where nothing
/// counts. A window without elements has the average 0 and the maximum minus infinity.
void pool(GraphContext& shop, const Pooling& pooling, int planes, int in_height, int in_width, int out_height, int out_width, const float* in, float* out);

}  // namespace lectern::cpu
