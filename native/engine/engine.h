// The engine: what the addon opens and closes, and whose verbs it forwards. Knows nothing of JavaScript.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.h"
#include "cuda/runtime/kernel_options.h"
#include "engine/lane.h"
#include "engine/log.h"
#include "engine/model_description.h"
#include "engine/token_counter.h"
#include "vision/image.h"
#include "vision/tesseract.h"
#include "vision/text_recognizer.h"

namespace lectern {

struct BuildInfo {
  std::string_view version;       // of the package
  bool cuda;                      // whether nvcc built a CUDA room
  std::string_view instructions;  // the highest level that this machine lets kernels use, by name_of()
};

BuildInfo build_info();

/// The CPU first, then, where `gpus`, the CUDA devices that respond: the query takes memory on the first one. Throws Error `device_lost`.
std::vector<Device> devices(bool gpus = true);

/// Why there is no CUDA device among them, as part of a sentence; empty where there is one.
std::string why_no_gpu();

/// Every verb returns at once, works on a lane and gives its outcome to `done` there; it throws Error `invalid_state` after
/// close. What it is given by pointer must live until `done` was called.
class Engine {
 public:
  /// `kernels`: debug switches of the CUDA kernels, which then hold for the process.
  explicit Engine(Log log, const std::optional<cuda::KernelOptions>& kernels = std::nullopt);

  const Log& log() const { return log_; }

  void deskew_angle(const vision::Bitmap& bitmap, std::shared_ptr<Cancel> cancel, Done<double> done);

  /// The installed Tesseract's version, and what it reads; opened at the first call. Only in processes that may die.
  void tesseract_version(std::shared_ptr<Cancel> cancel, Done<std::string> done);
  void read_text(const vision::Bitmap& bitmap, vision::TesseractOptions options, std::shared_ptr<Cancel> cancel,
                 Done<vision::ReadPage> done);

  /// Recognises text with the shipped network. The network stays in memory until another is named, as do those of line orientation and line detection.
  void recognise_text(const vision::Bitmap& bitmap, vision::RecogniseOptions options, std::shared_ptr<Cancel> cancel, Done<vision::ReadPage> done);
  void line_votes(const vision::Bitmap& bitmap, vision::VoteOptions options, std::shared_ptr<Cancel> cancel, Done<vision::LineVotes> done);

  void describe_model(std::string path, bool arrays, std::shared_ptr<Cancel> cancel, Done<ModelDescription> done);
  void memory_need(std::string path, OpenOptions options, std::shared_ptr<Cancel> cancel, Done<llm::MemoryNeed> done);

  /// By the vocabulary of the model file `path`, which is kept open until another is named.
  void count_tokens(std::string path, std::vector<std::string> texts, std::shared_ptr<Cancel> cancel, Done<std::vector<std::uint32_t>> done);

  /// Cancels what is queued or running; `done` comes after the last of it. To destroy the engine waits for the same.
  void close(Done<std::monostate> done);

 private:
  vision::Tesseract& tesseract();
  Backend& processor();
  vision::TextRecognizer& recognizer(const vision::RecogniseOptions& options);
  vision::LineOrientation& orientation(const std::string& network);
  vision::PageDetector& detector(const std::string& network);

  Log log_;
  // Of the vision lane.
  std::unique_ptr<vision::Tesseract> tesseract_;
  std::unique_ptr<Backend> processor_;
  std::unique_ptr<vision::TextRecognizer> recognizer_;
  std::string recognizer_file_;
  std::size_t recognizer_work_bytes_ = 0;
  std::unique_ptr<vision::LineOrientation> orientation_;
  std::string orientation_file_;
  std::unique_ptr<vision::PageDetector> detector_;
  std::string detector_file_;
  TokenCounter token_counter_;  // of the files lane
  // Last: their jobs use the members above.
  Lane files_;
  Lane vision_;
};

}  // namespace lectern
