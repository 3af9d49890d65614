// One reader of pages, layouts, tables or kinds of lines in memory with a thread of its own. The addon opens, calls and closes it.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "backend/device.h"
#include "engine/lane.h"
#include "engine/request_batcher.h"
#include "vision/layout.h"
#include "vision/line_layout.h"
#include "vision/page_reader.h"
#include "vision/table.h"

namespace lectern {

struct OpenVisionOptions {
  std::variant<vision::PageReaderOptions, vision::LayoutOptions, vision::TableOptions, vision::LineLayoutOptions> networks;
  DeviceKind device = DeviceKind::cpu;
  int threads = 0;             // of the processor; 0: one for each of its cores
  std::size_t work_bytes = 0;  // that runs may hold beside the weights, all networks together
};

struct LoadedVision {
  std::size_t weight_bytes;  // as they lie in the files
};

struct NamedRegion {
  vision::Region region;
  std::string label;
};

/// Verbs return at once and give their outcome to `done` on the lane; after close they throw Error `invalid_state`. They may be called once load() is done. Bitmaps
/// must live until then. A method that the model's kind does not have gives Error `invalid_request`. Waiting bitmaps, of any document, form one batch where the
/// network takes several; each gets the result that it would get alone, and no other's error.
class VisionModel {
 public:
  VisionModel();
  /// Cancels everything and waits for its end.
  ~VisionModel();

  /// Once. After a failure everything is free again.
  void load(OpenVisionOptions options, std::shared_ptr<Cancel> cancel, Done<LoadedVision> done);

  /// All text of an upright page, or of a bitmap that is one line of text from edge to edge. `dpi` of the bitmap, 70..2400.
  void read_lines(const vision::Bitmap& bitmap, int dpi, bool one_line, std::shared_ptr<Cancel> cancel, Done<vision::ReadPage> done);
  void find_layout(const vision::Bitmap& bitmap, std::shared_ptr<Cancel> cancel, Done<std::vector<NamedRegion>> done);
  /// `bitmap` shows the table and little else.
  void find_table_cells(const vision::Bitmap& bitmap, std::shared_ptr<Cancel> cancel, Done<vision::FoundTable> done);

  void classify_lines(vision::LineItems items, std::shared_ptr<Cancel> cancel, Done<vision::LineClasses> done);

  /// Cancels what is queued or running; `done` comes after the last of it, when the memory is free.
  void close(Done<std::monostate> done);

 private:
  struct Loaded {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<Backend> host;  // null where the backend is the processor's
    std::variant<std::monostate, vision::PageReader, vision::LayoutFinder, vision::TableFinder, vision::LineLayout> reader;
  };

  LoadedVision open(const OpenVisionOptions& options);
  template <class Reader>
  Reader& reader(const char* verb);
  void free();

  std::unique_ptr<Loaded> loaded_;  // of the lane
  RequestBatcher<vision::PageRequest, vision::ReadPage> pages_;
  RequestBatcher<vision::Bitmap, std::vector<NamedRegion>> layouts_;
  RequestBatcher<vision::Bitmap, vision::FoundTable> tables_;
  Lane lane_;  // last: its jobs use the members above
};

}  // namespace lectern
