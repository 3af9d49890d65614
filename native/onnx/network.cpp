#include "onnx/network.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "backend/backend.h"
#include "error.h"
#include "onnx/reader.h"
#include "onnx/runner.h"
#include "onnx/workspace.h"
#include "tensor/quoted.h"

namespace lectern::onnx {
namespace {

Bytes read_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw Error(ErrorCode::model_not_found, "The network file " + quoted_name(path.string()) + " cannot be read.");
  Bytes bytes(size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (static_cast<std::size_t>(file.gcount()) != size) throw Error(ErrorCode::invalid_model, "The network file " + quoted_name(path.string()) + " cannot be read to its end.");
  return bytes;
}

std::vector<PortInfo> infos_of(const std::vector<Port>& ports) {
  std::vector<PortInfo> infos;
  for (const Port& port : ports) infos.push_back({port.name, port.element, port.sizes});
  return infos;
}

std::size_t weight_bytes_of(const Graph& graph) {
  std::size_t bytes = 0;
  for (const auto& [id, array] : graph.constants) bytes += array.bytes->size();
  return bytes;
}

[[noreturn]] void refuse_input(const std::string& why) { throw Error(ErrorCode::invalid_request, "The network cannot run: " + why + "."); }

Held take_input(const Port& port, const Input& input, Workspace& workspace) {
  const std::string title = "its input " + quoted_name(port.name);
  if (port.typed && input.element != port.element) refuse_input(title + " is of type " + std::string(name_of(port.element)) + ", not " + std::string(name_of(input.element)));
  bool fits = input.shape.is_sane() && (!port.shaped || static_cast<int>(port.sizes.size()) == input.shape.rank);
  for (int axis = 0; fits && axis < input.shape.rank; axis++) {
    const std::int64_t declared = port.shaped ? port.sizes[static_cast<std::size_t>(axis)] : -1;
    fits = declared < 0 || declared == input.shape[axis];
  }
  if (!fits) refuse_input(title + " does not take the shape " + input.shape.text());
  std::shared_ptr<const void> data = workspace.ops().reads_host_memory() ? std::shared_ptr<const void>(std::shared_ptr<void>(), input.data)
                                                                         : workspace.upload(input.element, input.shape.elements(), input.data);
  return {input.element, input.shape, std::move(data), std::nullopt};
}

}  // namespace

struct Network::State {
  State(Model read, Backend& backend, const NetworkOptions& chosen)
      : model(std::move(read)),
        options(chosen),
        inputs(infos_of(model.graph.inputs)),
        outputs(infos_of(model.graph.outputs)),
        weights(weight_bytes_of(model.graph)),
        workspace(backend, chosen.host != nullptr ? *chosen.host : backend, chosen.threads, chosen.precision, chosen.most_bytes),
        runner(model.graph, model.opset, workspace, chosen.fuse) {}

  Model model;
  NetworkOptions options;
  std::vector<PortInfo> inputs;
  std::vector<PortInfo> outputs;
  std::size_t weights;
  Workspace workspace;
  Runner runner;
};

Network Network::open(const std::filesystem::path& file, Backend& backend, const NetworkOptions& options) {
  const Bytes bytes = read_file(file);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  return Network(bytes, backend, options, folder);
}

Network::Network(std::span<const std::byte> file, Backend& backend, const NetworkOptions& options, const std::filesystem::path& folder)
    : state_(std::make_unique<State>(read(file, folder), backend, options)) {}
Network::Network(Network&&) noexcept = default;
Network::~Network() = default;

const std::vector<PortInfo>& Network::inputs() const { return state_->inputs; }
const std::vector<PortInfo>& Network::outputs() const { return state_->outputs; }
const std::map<std::string, std::string>& Network::metadata() const { return state_->model.metadata; }
std::size_t Network::weight_bytes() const { return state_->weights; }

std::vector<Output> Network::run(std::span<const Input> inputs, const Cancel* cancel, Profile* profile) {
  State& state = *state_;
  std::vector<Held> given;
  for (const Port& port : state.model.graph.inputs) {
    const auto input = std::find_if(inputs.begin(), inputs.end(), [&](const Input& candidate) { return candidate.name == port.name; });
    if (input == inputs.end()) refuse_input("its input " + quoted_name(port.name) + " is missing");
    given.push_back(take_input(port, *input, state.workspace));
  }
  if (inputs.size() != given.size()) refuse_input("it has " + std::to_string(given.size()) + " inputs and was given " + std::to_string(inputs.size()));
  Run run{cancel, profile, state.options.most_iterations};
  std::vector<Output> outputs;
  std::size_t index = 0;
  for (const Held& held : state.runner.run(given, {}, run)) {
    Output output{state.outputs[index++].name, held.element, held.shape, {}};
    output.bytes.resize(static_cast<std::size_t>(held.shape.elements()) * bytes_of(held.element));
    if (held.contents) {
      std::copy(held.contents->bytes->begin(), held.contents->bytes->end(), output.bytes.begin());
    } else if (!output.bytes.empty()) {
      state.workspace.download(held.element, held.shape.elements(), held.data.get(), output.bytes.data());
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace lectern::onnx
