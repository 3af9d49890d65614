// Networks made in code with known outputs for a picture: for the readers of pages, layouts and tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vision/page_reader.h"
#include "vision/vision_network.h"

namespace lectern::test {

/// x (n, 3, h, w) to how dark each pixel is, (n, 1, h, w): 1 minus the mean of its channels.
std::string darkness_network();
/// x (n, 3, 48, w) to (n, w / 8, levels): minus how far the mean of each 8 columns is from each level. In its metadata `character`, where not empty.
std::string level_network(const std::vector<float>& levels, const std::string& character = "");
/// x (n, 3, 48, 192) to (n, 2): how light its left half is, and how dark.
std::string left_half_network();
/// x (n, 3, side, side), of any size for -1, to the constants `values` under `names` with their sizes, n times over; the first one plus the mean of the picture.
struct NamedFloats {
  std::string name;
  std::vector<std::int64_t> sizes;  // without n
  std::vector<float> values;
};
std::string network_with_outputs(const std::vector<NamedFloats>& tensors, std::int64_t side = 16);

/// What one bitmap gets alone.
template <class Finder>
auto found_alone(Finder&& finder, const vision::Bitmap& bitmap) {
  return finder.find({&bitmap, 1}, Cancel())[0];
}
/// What one page says alone.
inline vision::ReadPage read_alone(vision::PageReader& reader, const vision::PageRequest& page, const Cancel& cancel = Cancel()) { return reader.read({&page, 1}, cancel)[0]; }

/// A file in the system's folder for temporary ones for the time of a test; the process's number is in its name.
struct Written {
  std::string path;
  Written(const std::string& name, const std::string& bytes);
  ~Written();
};

/// The processor with two threads, for all such tests of a run.
vision::Place place();

}  // namespace lectern::test
