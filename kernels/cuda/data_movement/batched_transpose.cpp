// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/data_movement/batched_transpose.h"

#include "kernels/cuda/data_movement/collapse.h"

namespace tessera::cuda {

Support support_batched_transpose(const TransposeProblem& problem) {
  if (problem.count() == 0) return Support::yes();
  const TransposeProblem swap = collapse(problem);
  const bool is_swap = swap.rank == 2 || (swap.rank == 3 && swap.permutation[0] == 0);
  if (is_swap) return Support::yes();
  return Support::no("the permutation is not a swap of two neighbouring groups of axes");
}

BatchedTranspose as_batched_transpose(const TransposeProblem& problem) {
  const TransposeProblem swap = collapse(problem);
  BatchedTranspose transpose;
  transpose.dtype = problem.dtype;
  transpose.batch = swap.rank == 3 ? swap.extent[0] : 1;
  transpose.rows = swap.extent[swap.rank - 2];
  transpose.columns = swap.extent[swap.rank - 1];
  return transpose;
}

}  // namespace tessera::cuda
