// The module for mpirun, in which process 1 throws while it waits for its second point.
#define memlane_mpi_next memlane_mpi_next_message
#include "cli/mpi/processes.cpp"
#undef memlane_mpi_next

#include <stdexcept>

extern "C" int memlane_mpi_next(int* from, long* count) {
  static int taken = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int found = memlane_mpi_next_message(from, count);
  if (rank == 1 && found == 1 && ++taken == 2) throw std::runtime_error("a test wants it");
  return found;
}
