// Messages between the processes of mpirun: a module of its own, loaded only under mpirun, so that
// memlane itself neither needs MPI nor waits for its libraries to load.
#include "processes.h"

#include <mpi.h>

#include <climits>
#include <cstdlib>

namespace {

constexpr int tag = 1;

} // namespace

extern "C" {

int memlane_mpi_start(int* rank, int* size) {
  int ready = 0;
  MPI_Initialized(&ready);
  if (ready == 0 && MPI_Init(nullptr, nullptr) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  return 0;
}

int memlane_mpi_send(int to, const char* bytes, long count) {
  if (count > INT_MAX) return 1;
  return MPI_Send(bytes, static_cast<int>(count), MPI_BYTE, to, tag, MPI_COMM_WORLD) != MPI_SUCCESS;
}

int memlane_mpi_next(int* from, long* count) {
  int there = 0, bytes = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS) return -1;
  if (there == 0) return 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  *from = status.MPI_SOURCE;
  *count = bytes;
  return 1;
}

int memlane_mpi_receive(int from, char* bytes, long count) {
  return MPI_Recv(bytes, static_cast<int>(count), MPI_BYTE, from, tag, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

void memlane_mpi_finish(void) { MPI_Finalize(); }

void memlane_mpi_abort(void) { MPI_Abort(MPI_COMM_WORLD, 2); }

} // extern "C"
