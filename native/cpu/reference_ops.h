// The reference implementation of the operations: each formula of backend/ops.h in its simplest form, without optimisation.
#pragma once

#include <memory>

#include "backend/ops.h"

namespace lectern::cpu {

std::unique_ptr<Ops> make_reference_ops(const OpsShape& shape);
std::size_t reference_kv_bytes(const KvShape& shape);

}  // namespace lectern::cpu
