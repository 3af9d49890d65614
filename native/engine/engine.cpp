// The verbs, each a job for a lane.
#include "engine/engine.h"

#include "backend/instructions.h"
#include "cpu/backend.h"
#include "cpu/device.h"
#include "cuda/runtime/device.h"
#include "engine/trim_heap.h"
#include "engine/version.h"
#include "vision/skew_angle.h"

namespace lectern {

BuildInfo build_info() { return {package_version, cuda::compiled_in(), name_of(available_instructions())}; }

std::vector<Device> devices(bool gpus) {
  std::vector<Device> found;
  if (gpus) found = cuda::devices();
  found.insert(found.begin(), cpu::device());
  return found;
}

std::string why_no_gpu() { return cuda::why_none(); }

Engine::Engine(Log log, const std::optional<cuda::KernelOptions>& kernels) : log_(std::move(log)), files_("lectern-files"), vision_("lectern-vision") {
  if (kernels.has_value()) cuda::set_kernel_options(*kernels);
  if (!log_) return;
  const BuildInfo build = build_info();
  log_(LogLevel::debug, std::string("Engine opened: version ") + std::string(build.version) + ", instructions " +
                            std::string(build.instructions) + (build.cuda ? ", with CUDA." : ", without CUDA."));
  const std::string switches = cuda::describe(cuda::kernel_options());
  if (!switches.empty()) log_(LogLevel::info, "The CUDA kernels run with debug switches: " + switches + ".");
}

void Engine::deskew_angle(const vision::Bitmap& bitmap, std::shared_ptr<Cancel> cancel, Done<double> done) {
  vision_.submit<double>(
      std::move(cancel), [bitmap](const Cancel& flag) { return vision::deskew_angle(bitmap, flag); }, std::move(done));
}

vision::Tesseract& Engine::tesseract() {
  if (!tesseract_) tesseract_ = std::make_unique<vision::Tesseract>();
  return *tesseract_;
}

void Engine::tesseract_version(std::shared_ptr<Cancel> cancel, Done<std::string> done) {
  vision_.submit<std::string>(std::move(cancel), [this](const Cancel&) { return tesseract().version(); }, std::move(done));
}

void Engine::read_text(const vision::Bitmap& bitmap, vision::TesseractOptions options, std::shared_ptr<Cancel> cancel,
                       Done<vision::ReadPage> done) {
  const auto work = [this, bitmap, options = std::move(options)](const Cancel& flag) { return tesseract().read(bitmap, options, flag); };
  vision_.submit<vision::ReadPage>(std::move(cancel), work, std::move(done));
}

Backend& Engine::processor() {
  if (!processor_) processor_ = cpu::make_backend();
  return *processor_;
}

vision::TextRecognizer& Engine::recognizer(const vision::RecogniseOptions& options) {
  if (!recognizer_ || recognizer_file_ != options.network || recognizer_work_bytes_ != options.work_bytes) {
    recognizer_.reset();
    // One thread: documents are converted side by side, each in a process of its own.
    recognizer_ = std::make_unique<vision::TextRecognizer>(options.network, processor(), 1, options.work_bytes);
    recognizer_file_ = options.network;
    recognizer_work_bytes_ = options.work_bytes;
  }
  return *recognizer_;
}

void Engine::recognise_text(const vision::Bitmap& bitmap, vision::RecogniseOptions options, std::shared_ptr<Cancel> cancel, Done<vision::ReadPage> done) {
  const auto work = [this, bitmap, options = std::move(options)](const Cancel& flag) {
    vision::TextRecognizer& reader = recognizer(options);
    if (options.one_line) return reader.read_line(bitmap, flag);
    return reader.read(bitmap, options.dpi, flag, {options.orientation.empty() ? nullptr : &orientation(options.orientation), options.detector.empty() ? nullptr : &detector(options.detector)});
  };
  vision_.submit<vision::ReadPage>(std::move(cancel), work, std::move(done));
}

vision::LineOrientation& Engine::orientation(const std::string& network) {
  if (!orientation_ || orientation_file_ != network) {
    orientation_.reset();
    orientation_ = std::make_unique<vision::LineOrientation>(network, processor(), 1);
    orientation_file_ = network;
  }
  return *orientation_;
}

vision::PageDetector& Engine::detector(const std::string& network) {
  if (!detector_ || detector_file_ != network) {
    detector_.reset();
    detector_ = std::make_unique<vision::PageDetector>(network, processor(), 1);
    detector_file_ = network;
  }
  return *detector_;
}

void Engine::line_votes(const vision::Bitmap& bitmap, vision::VoteOptions options, std::shared_ptr<Cancel> cancel, Done<vision::LineVotes> done) {
  const auto work = [this, bitmap, options = std::move(options)](const Cancel& flag) { return orientation(options.network).ask(bitmap, options.dpi, flag); };
  vision_.submit<vision::LineVotes>(std::move(cancel), work, std::move(done));
}

void Engine::describe_model(std::string path, bool arrays, std::shared_ptr<Cancel> cancel, Done<ModelDescription> done) {
  const auto work = [path = std::move(path), arrays](const Cancel&) { return lectern::describe_model(path, arrays); };
  files_.submit<ModelDescription>(std::move(cancel), work, std::move(done));
}

void Engine::memory_need(std::string path, OpenOptions options, std::shared_ptr<Cancel> cancel, Done<llm::MemoryNeed> done) {
  const auto work = [path = std::move(path), options](const Cancel&) { return lectern::memory_need(path, options); };
  files_.submit<llm::MemoryNeed>(std::move(cancel), work, std::move(done));
}

void Engine::count_tokens(std::string path, std::vector<std::string> texts, std::shared_ptr<Cancel> cancel, Done<std::vector<std::uint32_t>> done) {
  const auto work = [this, path = std::move(path), texts = std::move(texts)](const Cancel& flag) { return token_counter_.count(path, texts, flag); };
  files_.submit<std::vector<std::uint32_t>>(std::move(cancel), work, std::move(done));
}

void Engine::close(Done<std::monostate> done) {
  vision_.cancel_all();
  files_.cancel_all();
  const auto nothing = [](const Cancel&) { return std::monostate{}; };
  // The last job of each lane runs after all jobs before it; no other code holds its flag.
  const auto close_files = [this, nothing, done = std::move(done)](Outcome<std::monostate>) {
    files_.submit<std::monostate>(std::make_shared<Cancel>(), nothing, done);
    files_.close();
  };
  const auto free = [this](const Cancel&) {
    recognizer_.reset();
    orientation_.reset();
    detector_.reset();
    tesseract_.reset();
    trim_heap();
    return std::monostate{};
  };
  vision_.submit<std::monostate>(std::make_shared<Cancel>(), free, close_files);
  vision_.close();
}

}  // namespace lectern
