#include "network_device_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "json.h"
#include "onnx/network.h"

namespace lectern::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// The pictures of a network's first case, over and over until there are `batch` of them.
struct Pictures {
  std::string name;
  Shape shape;
  std::vector<float> values;
};

Pictures read_pictures(const fs::path& folder, const Json& input, std::int64_t batch) {
  Pictures pictures{input["name"].string, {}, {}};
  if (input["type"].string != "float32") throw std::runtime_error("its input is no picture");
  for (const int size : input["shape"].integers()) pictures.shape.push(size);
  std::vector<float> one(static_cast<std::size_t>(pictures.shape.product(1, pictures.shape.rank)));
  std::ifstream file(folder / input["file"].string, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(one.data()), static_cast<std::streamsize>(one.size() * sizeof(float)))) throw std::runtime_error("its input cannot be read");
  pictures.shape[0] = batch;
  for (std::int64_t i = 0; i < batch; i++) pictures.values.insert(pictures.values.end(), one.begin(), one.end());
  return pictures;
}

/// Seconds: the middle of `runs`, after one that plans.
double measure(onnx::Network& network, const Pictures& pictures, int runs) {
  const onnx::Input input{pictures.name, Element::f32, pictures.shape, pictures.values.data()};
  std::vector<double> times;
  (void)network.run({&input, 1});
  for (int run = 0; run < runs; run++) {
    const Clock::time_point begin = Clock::now();
    (void)network.run({&input, 1});
    times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

void bench_networks(Backend& device, Backend& host, const fs::path& pack, bool toy) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(pack / "nets")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  if (folders.empty()) throw std::runtime_error("there are no networks in " + pack.string());
  std::printf("| network | input | precision | ms | pictures/s |\n|---|---|---|---|---|\n");
  for (const fs::path& folder : folders) {
    const Json net = read_json((folder / "net.json").string());
    const Json& input = net["cases"].list.front()["inputs"].list.front();
    for (const Precision precision : {Precision::f16x3, Precision::f16, Precision::f32}) {
      // The processor has floats alone.
      if (precision != Precision::f32 && device.info().kind == DeviceKind::cpu) continue;
      onnx::NetworkOptions options;
      options.host = &host;
      options.precision = precision;
      onnx::Network network = onnx::Network::open(folder / "model.onnx", device, options);
      for (const int batch : {1, 8}) {
        if (batch > 1 && (toy || network.inputs().front().sizes.empty() || network.inputs().front().sizes.front() >= 0)) continue;
        const Pictures pictures = read_pictures(folder, input, batch);
        const double seconds = measure(network, pictures, toy ? 1 : 21);
        std::printf("| %s | %s | %s | %.3f | %.1f |\n", net["name"].string.c_str(), pictures.shape.text().c_str(), name_of(precision), seconds * 1e3, batch / seconds);
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace lectern::test
