// The interface of the module with which the processes of mpirun exchange messages. Functions
// return 0, unless they say otherwise; anything else is a failure.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Joins the processes of this job; gives this one's number and how many there are.
int memlane_mpi_start(int* rank, int* size);
int memlane_mpi_send(int to, const char* bytes, long count);
/// 1 if a message waits: who sent it and its bytes; 0 if none does; -1: a failure. Does not wait.
int memlane_mpi_next(int* from, long* count);
/// Takes the message that memlane_mpi_next found.
int memlane_mpi_receive(int from, char* bytes, long count);
/// Waits for all processes; nothing can be sent afterwards.
void memlane_mpi_finish(void);
/// Ends all processes of the job at once.
void memlane_mpi_abort(void);

#ifdef __cplusplus
}
#endif
