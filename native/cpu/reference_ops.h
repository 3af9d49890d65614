// The plain twin of the operations: what each formula in backend/ops.h means, with no other thought than being right.
#pragma once

#include <memory>

#include "backend/ops.h"

namespace lectern::cpu {

std::unique_ptr<Ops> make_reference_ops(const OpsShape& shape);
std::size_t reference_kv_bytes(const KvShape& shape);

}  // namespace lectern::cpu
