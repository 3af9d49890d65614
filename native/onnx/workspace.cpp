#include "onnx/workspace.h"

#include <iterator>
#include <string>
#include <utility>

#include "error.h"

namespace lectern::onnx {
namespace {

// The picture of a page as floats, several times. Loop-carried values are smaller.
constexpr std::size_t most_spare_bytes = std::size_t{128} << 20;

/// Rounds sizes up, so that inputs of about one size share a block.
std::size_t rounded(std::size_t bytes) {
  constexpr std::size_t small = std::size_t{1} << 20;
  std::size_t power = 256;
  while (power < bytes && power < small) power *= 2;
  return power >= bytes ? power : (bytes + small - 1) / small * small;
}

}  // namespace

Workspace::Workspace(Backend& backend, Backend& host, int threads, Precision precision, std::size_t most_bytes)
    : backend_(backend),
      ops_(backend.make_graph_ops(threads, storage_of(precision))),
      host_ops_(ops_->reads_host_memory() ? nullptr : host.make_graph_ops(threads, FloatStorage::floats)),
      most_bytes_(most_bytes) {
  if (host_ops_ != nullptr && !host_ops_->reads_host_memory()) throw Error(ErrorCode::invalid_state, "A network on a device needs a processor beside it.");
  ops_->split_factors(precision == Precision::f16x3);
  ops_->count_scratch([this](std::size_t bytes) {
    scratch_.reset();
    scratch_ = counted(bytes);
  });
}

void Workspace::hold(std::size_t bytes) {
  if (bytes > most_bytes_ || spare_->held_bytes > most_bytes_ - bytes) {
    throw Error(ErrorCode::too_large, "The network needs " + std::to_string((spare_->held_bytes + bytes) >> 20) + " MiB for one run, which is more than " + std::to_string(most_bytes_ >> 20) + " MiB.");
  }
  while (!spare_->pieces.empty() && spare_->held_bytes + bytes + spare_->bytes > most_bytes_) {
    const auto largest = std::prev(spare_->pieces.end());
    spare_->bytes -= largest->first;
    spare_->pieces.erase(largest);
  }
  spare_->held_bytes += bytes;
}

std::shared_ptr<void> Workspace::counted(std::size_t bytes) {
  hold(bytes);
  return {nullptr, [bytes, spare = spare_](void*) { spare->held_bytes -= bytes; }};
}

std::shared_ptr<void> Workspace::arena(std::size_t bytes) {
  // The handle's destructor takes it back, also if the allocation fails.
  const std::shared_ptr<void> held = counted(bytes);
  const auto memory = std::make_shared<Memory>(backend_, bytes);
  return {memory->data(), [memory, held](void*) {}};
}

std::shared_ptr<void> Workspace::memory(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  std::shared_ptr<void> held = counted(size);
  const auto piece = std::make_shared<Memory>();
  const auto found = spare_->pieces.find(size);
  if (found != spare_->pieces.end()) {
    *piece = std::move(found->second);
    spare_->pieces.erase(found);
    spare_->bytes -= size;
  } else {
    *piece = Memory(backend_, size);
  }
  return {piece->data(), [size, piece, held = std::move(held), spare = spare_](void*) {
            if (spare->bytes + size > most_spare_bytes) return;
            spare->pieces.emplace(size, std::move(*piece));
            spare->bytes += size;
          }};
}

void Workspace::store(Element element, std::int64_t count, const void* from, void* to) {
  const auto size = static_cast<std::size_t>(count) * bytes_of(element);
  if (!converts(element)) return backend_.upload(to, from, size);
  const std::shared_ptr<void> floats = memory(size);
  backend_.upload(floats.get(), from, size);
  ops_->keep_floats(count, static_cast<const float*>(floats.get()), to);
}

std::shared_ptr<const void> Workspace::upload(Element element, std::int64_t count, const void* from) {
  std::shared_ptr<void> taken = memory(bytes(element, count));
  store(element, count, from, taken.get());
  return taken;
}

void Workspace::download(Element element, std::int64_t count, const void* from, void* to) {
  const auto size = static_cast<std::size_t>(count) * bytes_of(element);
  if (!converts(element)) return backend_.download(to, from, size);
  const std::shared_ptr<void> given = memory(size);
  ops_->give_floats(count, from, static_cast<float*>(given.get()));
  backend_.download(to, given.get(), size);
}

std::shared_ptr<const void> Workspace::place(const Array& array, bool lasting) {
  if (ops_->reads_host_memory()) return {array.bytes, array.data()};
  if (lasting) {
    const auto entry = placed_.find(array.data());
    if (entry != placed_.end()) return entry->second.second;
  }
  if (!lasting) return upload(array.element, array.elements(), array.data());
  // Weights are never freed, so that they take exact sizes. Only their conversion through floats uses the pool.
  const auto memory = std::make_shared<Memory>(backend_, bytes(array.element, array.elements()));
  store(array.element, array.elements(), array.data(), memory->data());
  std::shared_ptr<const void> placed(memory, memory->data());
  placed_.emplace(array.data(), std::pair(array, placed));
  return placed;
}

const void* Workspace::packed_filter(const Array& weights, const Filter& filter, bool transposed) {
  const Key key(weights.data(), transposed ? 1 : 0,
                {filter.outputs, filter.inputs, filter.groups, filter.kernel[0], filter.kernel[1], filter.strides[0], filter.strides[1], filter.dilations[0], filter.dilations[1]});
  const auto entry = packed_.find(key);
  if (entry != packed_.end()) return entry->second.packed;
  const void* packed = ops_->pack_filter(filter, weights.as<float>().data(), transposed);
  packed_.emplace(key, Packed{weights, packed});
  return packed;
}

const void* Workspace::packed_matrix(const Array& weights, std::int64_t inner, std::int64_t columns, bool transposed) {
  const Key key(weights.data(), transposed ? 3 : 2, {inner, columns});
  const auto entry = packed_.find(key);
  if (entry != packed_.end()) return entry->second.packed;
  const void* packed = ops_->pack_matrix(inner, columns, transposed, weights.as<float>().data());
  packed_.emplace(key, Packed{weights, packed});
  return packed;
}

const void* Workspace::packed_recurrent(const Array& weights, const Array& recurrence, const Recurrent& recurrent) {
  const Key key(weights.data(), 4, {static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(recurrence.data())), recurrent.gru ? 1 : 0, recurrent.directions, recurrent.hidden, recurrent.inputs});
  const auto entry = packed_.find(key);
  if (entry != packed_.end()) return entry->second.packed;
  const void* packed = ops_->pack_recurrent(recurrent, weights.as<float>().data(), recurrence.as<float>().data());
  packed_.emplace(key, Packed{weights, packed, recurrence});
  return packed;
}

}  // namespace lectern::onnx
