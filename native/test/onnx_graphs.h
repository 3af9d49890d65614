// Networks made in code, for the tests and as what fuzzing begins with.
#pragma once

#include <map>
#include <string>

namespace lectern::test {

/// Conv, BatchNormalization and Relu; every inner value is read twice or is an output of the graph, where `watched`. x (n, 3, h, w).
std::string conv_network(bool watched);
/// y = x doubled `trips` times, and every value on the way; ends early where `going` stays false. x (2).
std::string loop_network();
/// y = condition ? x + 1 : x - w, w of the graph around. x (-1).
std::string if_network();
/// Shapes computed from shapes: x (n, c, h, w) as (n, h w, c), a layer normalisation, a product with weights, gelu.
std::string token_network();
/// Boxes and scores to the best boxes: sizes that depend on contents.
std::string detection_network();
/// Weights in 16 bits, widened by Cast.
std::string half_network();

/// All of them by name.
std::map<std::string, std::string> made_networks();

}  // namespace lectern::test
