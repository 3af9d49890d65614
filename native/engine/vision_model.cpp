#include "engine/vision_model.h"

#include <algorithm>
#include <utility>

#include "cpu/backend.h"
#include "engine/trim_heap.h"
#include "engine/model_description.h"
#include "error.h"

namespace lectern {
namespace {

/// Share of the work memory: the picture in which the detector searches lines is by far the largest.
constexpr std::size_t for_detector(std::size_t bytes) { return bytes / 8 * 5; }
constexpr std::size_t for_reader(std::size_t bytes) { return bytes / 4; }

}  // namespace

VisionModel::VisionModel() : lane_("lectern-vision-model", "The model is closed.") {}
VisionModel::~VisionModel() = default;

void VisionModel::load(OpenVisionOptions options, std::shared_ptr<Cancel> cancel, Done<LoadedVision> done) {
  const auto work = [this, options = std::move(options)](const Cancel& flag) {
    try {
      const LoadedVision loaded = open(options);
      flag.check();
      return loaded;
    } catch (...) {
      free();
      throw;
    }
  };
  lane_.submit<LoadedVision>(std::move(cancel), work, std::move(done));
}

LoadedVision VisionModel::open(const OpenVisionOptions& options) {
  loaded_ = std::make_unique<Loaded>();
  loaded_->backend = make_language_backend(options.device);
  if (options.device != DeviceKind::cpu) loaded_->host = cpu::make_backend();
  Backend& host = loaded_->host ? *loaded_->host : *loaded_->backend;
  const vision::Place place{*loaded_->backend, host, options.threads, options.work_bytes};
  if (const auto* pages = std::get_if<vision::PageReaderOptions>(&options.networks)) {
    auto shared = [&](std::size_t bytes) { return vision::Place{place.backend, place.host, place.threads, bytes}; };
    auto& reader = loaded_->reader.emplace<vision::PageReader>(*pages, shared(for_detector(options.work_bytes)), shared(for_reader(options.work_bytes)));
    return {reader.weight_bytes()};
  }
  if (const auto* layout = std::get_if<vision::LayoutOptions>(&options.networks)) return {loaded_->reader.emplace<vision::LayoutFinder>(*layout, place).weight_bytes()};
  if (const auto* lines = std::get_if<vision::LineLayoutOptions>(&options.networks)) return {loaded_->reader.emplace<vision::LineLayout>(*lines, place).weight_bytes()};
  return {loaded_->reader.emplace<vision::TableFinder>(std::get<vision::TableOptions>(options.networks), place).weight_bytes()};
}

template <class Reader>
Reader& VisionModel::reader(const char* verb) {
  Reader* found = loaded_ ? std::get_if<Reader>(&loaded_->reader) : nullptr;
  if (found == nullptr) throw Error(ErrorCode::invalid_request, std::string("This model does not ") + verb + ".");
  return *found;
}

void VisionModel::read_lines(const vision::Bitmap& bitmap, int dpi, bool one_line, std::shared_ptr<Cancel> cancel, Done<vision::ReadPage> done) {
  const auto pages = [this]() -> vision::PageReader& { return reader<vision::PageReader>("read lines"); };
  pages_.submit(
      lane_, {bitmap, dpi, one_line}, std::move(cancel), [pages] { return pages().batch(); },
      [pages](std::span<const vision::PageRequest> asked, const Cancel& flag) { return pages().read(asked, flag); }, std::move(done));
}

void VisionModel::find_table_cells(const vision::Bitmap& bitmap, std::shared_ptr<Cancel> cancel, Done<vision::FoundTable> done) {
  const auto finder = [this]() -> vision::TableFinder& { return reader<vision::TableFinder>("find the cells of tables"); };
  tables_.submit(
      lane_, bitmap, std::move(cancel), [finder] { return finder().batch(); },
      [finder](std::span<const vision::Bitmap> bitmaps, const Cancel& flag) { return finder().find(bitmaps, flag); }, std::move(done));
}

void VisionModel::classify_lines(vision::LineItems items, std::shared_ptr<Cancel> cancel, Done<vision::LineClasses> done) {
  const auto work = [this, items = std::move(items)](const Cancel& flag) { return reader<vision::LineLayout>("tell what lines are").classify(items, flag); };
  lane_.submit<vision::LineClasses>(std::move(cancel), work, std::move(done));
}

void VisionModel::find_layout(const vision::Bitmap& bitmap, std::shared_ptr<Cancel> cancel, Done<std::vector<NamedRegion>> done) {
  const auto finder = [this]() -> vision::LayoutFinder& { return reader<vision::LayoutFinder>("find layouts"); };
  const auto look = [finder](std::span<const vision::Bitmap> bitmaps, const Cancel& flag) {
    std::vector<std::vector<NamedRegion>> pages;
    for (const std::vector<vision::Region>& regions : finder().find(bitmaps, flag)) {
      auto& named = pages.emplace_back();
      for (const vision::Region& region : regions) named.push_back({region, finder().labels()[static_cast<std::size_t>(region.label)]});
    }
    return pages;
  };
  layouts_.submit(lane_, bitmap, std::move(cancel), [finder] { return static_cast<std::size_t>(finder().batch()); }, look, std::move(done));
}

void VisionModel::close(Done<std::monostate> done) {
  lane_.cancel_all();
  const auto last = [this](const Cancel&) {
    free();
    return std::monostate{};
  };
  // No other code holds its flag.
  lane_.submit<std::monostate>(std::make_shared<Cancel>(), last, std::move(done));
  lane_.close();
}

void VisionModel::free() {
  if (loaded_) {
    // Before the backends that it refers to.
    loaded_->reader.emplace<std::monostate>();
    loaded_.reset();
  }
  trim_heap();
}

}  // namespace lectern
