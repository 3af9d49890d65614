// The verbs, each a job for a lane.
#include "engine/engine.h"

#include "backend/instructions.h"
#include "cpu/device.h"
#include "cuda/device.h"
#include "engine/version.h"
#include "vision/deskew.h"

namespace lectern {

BuildInfo build_info() { return {package_version, cuda::compiled_in(), name_of(available_instructions())}; }

std::vector<Device> devices() {
  std::vector<Device> found = cuda::devices();
  found.insert(found.begin(), cpu::device());
  return found;
}

Engine::Engine(Log log) : log_(std::move(log)), vision_("lectern-vision") {
  if (!log_) return;
  const BuildInfo build = build_info();
  log_(LogLevel::debug, std::string("Engine opened: version ") + std::string(build.version) + ", instructions " +
                            std::string(build.instructions) + (build.cuda ? ", with CUDA." : ", without CUDA."));
}

void Engine::deskew_angle(const vision::Bitmap& bitmap, std::shared_ptr<Cancel> cancel, Done<double> done) {
  vision_.submit<double>(
      std::move(cancel), [bitmap](const Cancel& flag) { return vision::deskew_angle(bitmap, flag); }, std::move(done));
}

void Engine::resize_image(const vision::Bitmap& bitmap, const vision::ResizeOptions& options, std::span<float> out,
                          std::shared_ptr<Cancel> cancel, Done<std::monostate> done) {
  const auto work = [bitmap, options, out](const Cancel& flag) {
    vision::resize(bitmap, options, out, flag);
    return std::monostate{};
  };
  vision_.submit<std::monostate>(std::move(cancel), work, std::move(done));
}

void Engine::close(Done<std::monostate> done) {
  vision_.cancel_all();
  // The last job that the lane takes tells that all before it are through; nobody else holds its flag.
  vision_.submit<std::monostate>(
      std::make_shared<Cancel>(), [](const Cancel&) { return std::monostate{}; }, std::move(done));
  vision_.close();
}

}  // namespace lectern
