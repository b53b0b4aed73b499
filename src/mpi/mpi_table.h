/* mpi_table.h: the calls of MPI that become spans, one line each; the C and Fortran functions are made from it.
 *
 *   X(Name, lower, n, kind, bytes, buffer, count, type, root, comm, count2, type2)
 *
 * n: how many arguments the call has in C. The columns after it are argument numbers, from 0 on;
 * a column that the kind and the rule of bytes do not use is 0.
 *
 * kind   PLAIN   communication; with `comm` and COUNT a message to the rank at argument `root`
 *        LOCAL   local work: input and output
 *        ALL     a collective of `comm` that ends when this rank's part is done
 *        SYNC    a collective that no rank leaves before all have entered, if there are bytes
 *        MEET    the same without bytes
 *        MAKE    a collective that creates a communicator, which is stored at argument `root`
 *        FREE    frees the communicator stored at argument 0
 *        PREPARE creates a persistent send to the rank at argument `type2`, stored at argument `root`
 *        START   requests begin: the one stored at argument 0; if `root` is 1, as many as argument 0
 *                says, at argument 1
 *        FORGET  frees the request stored at argument 0
 * bytes  NONE    not known from the call, or none
 *        COUNT   count × size of type; if `buffer` is MPI_IN_PLACE: count2 × size of type2
 *        EACH    the same, for each rank
 *        ROOT    the same, for each rank, at the root
 *        SUM     count is an array, one for each rank; so is count2
 *        ROOTSUM the same, at the root
 *        TYPES   the same, and type is an array
 *        OWN     count × size of type; in place: count2 is an array, this rank's entry counts
 *        RECV    the bytes that arrived, by the status at argument `root`
 */
#ifndef PIT_MPI_TABLE_H
#define PIT_MPI_TABLE_H

/* Calls with single counts. We export their variants for large counts (MPI_Send_c) also if the MPI has
 * none, because programs may find ours and take them for the MPI's; count and count2 are then all
 * counts. */
#define PIT__MPI_COUNTED(X)                                                                        \
    X(Send, send, 6, PLAIN, COUNT, 0, 1, 2, 3, 5, 1, 2)                                            \
    X(Bsend, bsend, 6, PLAIN, COUNT, 0, 1, 2, 3, 5, 1, 2)                                          \
    X(Ssend, ssend, 6, PLAIN, COUNT, 0, 1, 2, 3, 5, 1, 2)                                          \
    X(Rsend, rsend, 6, PLAIN, COUNT, 0, 1, 2, 3, 5, 1, 2)                                          \
    X(Isend, isend, 7, PLAIN, COUNT, 0, 1, 2, 3, 5, 1, 2)                                          \
    X(Ibsend, ibsend, 7, PLAIN, COUNT, 0, 1, 2, 3, 5, 1, 2)                                        \
    X(Issend, issend, 7, PLAIN, COUNT, 0, 1, 2, 3, 5, 1, 2)                                        \
    X(Irsend, irsend, 7, PLAIN, COUNT, 0, 1, 2, 3, 5, 1, 2)                                        \
    X(Sendrecv, sendrecv, 12, PLAIN, COUNT, 0, 1, 2, 3, 10, 6, 7)                                  \
    X(Sendrecv_replace, sendrecv_replace, 9, PLAIN, COUNT, 0, 1, 2, 3, 7, 1, 2)                    \
    X(Recv, recv, 7, PLAIN, RECV, 0, 1, 2, 6, 5, 1, 2)                                             \
    X(Mrecv, mrecv, 5, PLAIN, RECV, 0, 1, 2, 4, 0, 1, 2)                                           \
    X(Irecv, irecv, 7, PLAIN, NONE, 0, 1, 2, 0, 0, 1, 2)                                           \
    X(Imrecv, imrecv, 5, PLAIN, NONE, 0, 1, 2, 0, 0, 1, 2)                                         \
    X(Bcast, bcast, 5, ALL, COUNT, 0, 1, 2, 3, 4, 1, 2)                                            \
    X(Ibcast, ibcast, 6, ALL, COUNT, 0, 1, 2, 3, 4, 1, 2)                                          \
    X(Gather, gather, 8, ALL, COUNT, 0, 1, 2, 6, 7, 4, 5)                                          \
    X(Igather, igather, 9, ALL, COUNT, 0, 1, 2, 6, 7, 4, 5)                                        \
    X(Scatter, scatter, 8, ALL, ROOT, 0, 1, 2, 6, 7, 4, 5)                                         \
    X(Iscatter, iscatter, 9, ALL, ROOT, 0, 1, 2, 6, 7, 4, 5)                                       \
    X(Allgather, allgather, 7, SYNC, COUNT, 0, 1, 2, 0, 6, 4, 5)                                   \
    X(Iallgather, iallgather, 8, ALL, COUNT, 0, 1, 2, 0, 6, 4, 5)                                  \
    X(Alltoall, alltoall, 7, SYNC, EACH, 0, 1, 2, 0, 6, 4, 5)                                      \
    X(Ialltoall, ialltoall, 8, ALL, EACH, 0, 1, 2, 0, 6, 4, 5)                                     \
    X(Reduce, reduce, 7, ALL, COUNT, 0, 2, 3, 5, 6, 2, 3)                                          \
    X(Ireduce, ireduce, 8, ALL, COUNT, 0, 2, 3, 5, 6, 2, 3)                                        \
    X(Allreduce, allreduce, 6, SYNC, COUNT, 0, 2, 3, 0, 5, 2, 3)                                   \
    X(Iallreduce, iallreduce, 7, ALL, COUNT, 0, 2, 3, 0, 5, 2, 3)                                  \
    X(Reduce_scatter_block, reduce_scatter_block, 6, SYNC, EACH, 0, 2, 3, 0, 5, 2, 3)              \
    X(Ireduce_scatter_block, ireduce_scatter_block, 7, ALL, EACH, 0, 2, 3, 0, 5, 2, 3)             \
    X(Scan, scan, 6, ALL, COUNT, 0, 2, 3, 0, 5, 2, 3)                                              \
    X(Iscan, iscan, 7, ALL, COUNT, 0, 2, 3, 0, 5, 2, 3)                                            \
    X(Exscan, exscan, 6, ALL, COUNT, 0, 2, 3, 0, 5, 2, 3)                                          \
    X(Iexscan, iexscan, 7, ALL, COUNT, 0, 2, 3, 0, 5, 2, 3)                                        \
    X(Neighbor_allgather, neighbor_allgather, 7, ALL, COUNT, 0, 1, 2, 0, 6, 4, 5)                  \
    X(Ineighbor_allgather, ineighbor_allgather, 8, ALL, COUNT, 0, 1, 2, 0, 6, 4, 5)                \
    X(Neighbor_alltoall, neighbor_alltoall, 7, ALL, NONE, 0, 1, 2, 0, 6, 4, 5)                     \
    X(Ineighbor_alltoall, ineighbor_alltoall, 8, ALL, NONE, 0, 1, 2, 0, 6, 4, 5)                   \
    X(Send_init, send_init, 7, PREPARE, COUNT, 0, 1, 2, 6, 5, 1, 3)                                \
    X(Bsend_init, bsend_init, 7, PREPARE, COUNT, 0, 1, 2, 6, 5, 1, 3)                              \
    X(Ssend_init, ssend_init, 7, PREPARE, COUNT, 0, 1, 2, 6, 5, 1, 3)                              \
    X(Rsend_init, rsend_init, 7, PREPARE, COUNT, 0, 1, 2, 6, 5, 1, 3)                              \
    X(File_read, file_read, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                                  \
    X(File_read_all, file_read_all, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                          \
    X(File_read_at, file_read_at, 6, LOCAL, COUNT, 2, 3, 4, 0, 0, 3, 4)                            \
    X(File_read_at_all, file_read_at_all, 6, LOCAL, COUNT, 2, 3, 4, 0, 0, 3, 4)                    \
    X(File_read_shared, file_read_shared, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                    \
    X(File_read_ordered, file_read_ordered, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                  \
    X(File_write, file_write, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                                \
    X(File_write_all, file_write_all, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                        \
    X(File_write_at, file_write_at, 6, LOCAL, COUNT, 2, 3, 4, 0, 0, 3, 4)                          \
    X(File_write_at_all, file_write_at_all, 6, LOCAL, COUNT, 2, 3, 4, 0, 0, 3, 4)                  \
    X(File_write_shared, file_write_shared, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                  \
    X(File_write_ordered, file_write_ordered, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                \
    X(File_iread, file_iread, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                                \
    X(File_iread_all, file_iread_all, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                        \
    X(File_iread_at, file_iread_at, 6, LOCAL, COUNT, 2, 3, 4, 0, 0, 3, 4)                          \
    X(File_iread_at_all, file_iread_at_all, 6, LOCAL, COUNT, 2, 3, 4, 0, 0, 3, 4)                  \
    X(File_iread_shared, file_iread_shared, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                  \
    X(File_iwrite, file_iwrite, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                              \
    X(File_iwrite_all, file_iwrite_all, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                      \
    X(File_iwrite_at, file_iwrite_at, 6, LOCAL, COUNT, 2, 3, 4, 0, 0, 3, 4)                        \
    X(File_iwrite_at_all, file_iwrite_at_all, 6, LOCAL, COUNT, 2, 3, 4, 0, 0, 3, 4)                \
    X(File_iwrite_shared, file_iwrite_shared, 5, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)                \
    X(File_read_all_begin, file_read_all_begin, 4, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)              \
    X(File_write_all_begin, file_write_all_begin, 4, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)            \
    X(File_read_at_all_begin, file_read_at_all_begin, 5, LOCAL, COUNT, 2, 3, 4, 0, 0, 3, 4)        \
    X(File_write_at_all_begin, file_write_at_all_begin, 5, LOCAL, COUNT, 2, 3, 4, 0, 0, 3, 4)      \
    X(File_read_ordered_begin, file_read_ordered_begin, 4, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)      \
    X(File_write_ordered_begin, file_write_ordered_begin, 4, LOCAL, COUNT, 1, 2, 3, 0, 0, 2, 3)

/* Calls with several counts; their variants for large counts are only MPI's own. */
#define PIT__MPI_ARRAYS(X)                                                                         \
    X(Gatherv, gatherv, 9, ALL, OWN, 0, 1, 2, 7, 8, 4, 6)                                          \
    X(Igatherv, igatherv, 10, ALL, OWN, 0, 1, 2, 7, 8, 4, 6)                                       \
    X(Scatterv, scatterv, 9, ALL, ROOTSUM, 0, 1, 3, 7, 8, 1, 3)                                    \
    X(Iscatterv, iscatterv, 10, ALL, ROOTSUM, 0, 1, 3, 7, 8, 1, 3)                                 \
    X(Allgatherv, allgatherv, 8, ALL, OWN, 0, 1, 2, 0, 7, 4, 6)                                    \
    X(Iallgatherv, iallgatherv, 9, ALL, OWN, 0, 1, 2, 0, 7, 4, 6)                                  \
    X(Alltoallv, alltoallv, 9, ALL, SUM, 0, 1, 3, 0, 8, 5, 7)                                      \
    X(Ialltoallv, ialltoallv, 10, ALL, SUM, 0, 1, 3, 0, 8, 5, 7)                                   \
    X(Alltoallw, alltoallw, 9, ALL, TYPES, 0, 1, 3, 0, 8, 5, 7)                                    \
    X(Ialltoallw, ialltoallw, 10, ALL, TYPES, 0, 1, 3, 0, 8, 5, 7)                                 \
    X(Reduce_scatter, reduce_scatter, 6, ALL, SUM, 0, 2, 3, 0, 5, 2, 3)                            \
    X(Ireduce_scatter, ireduce_scatter, 7, ALL, SUM, 0, 2, 3, 0, 5, 2, 3)                          \
    X(Neighbor_allgatherv, neighbor_allgatherv, 8, ALL, COUNT, 0, 1, 2, 0, 7, 1, 2)                \
    X(Ineighbor_allgatherv, ineighbor_allgatherv, 9, ALL, COUNT, 0, 1, 2, 0, 7, 1, 2)              \
    X(Neighbor_alltoallv, neighbor_alltoallv, 9, ALL, NONE, 0, 0, 0, 0, 8, 0, 0)                   \
    X(Ineighbor_alltoallv, ineighbor_alltoallv, 10, ALL, NONE, 0, 0, 0, 0, 8, 0, 0)                \
    X(Neighbor_alltoallw, neighbor_alltoallw, 9, ALL, NONE, 0, 0, 0, 0, 8, 0, 0)                   \
    X(Ineighbor_alltoallw, ineighbor_alltoallw, 10, ALL, NONE, 0, 0, 0, 0, 8, 0, 0)                \
    X(Bcast_init, bcast_init, 7, ALL, NONE, 0, 0, 0, 0, 4, 0, 0)                                   \
    X(Reduce_init, reduce_init, 9, ALL, NONE, 0, 0, 0, 0, 6, 0, 0)                                 \
    X(Allreduce_init, allreduce_init, 8, ALL, NONE, 0, 0, 0, 0, 5, 0, 0)                           \
    X(Gather_init, gather_init, 10, ALL, NONE, 0, 0, 0, 0, 7, 0, 0)                                \
    X(Scatter_init, scatter_init, 10, ALL, NONE, 0, 0, 0, 0, 7, 0, 0)                              \
    X(Allgather_init, allgather_init, 9, ALL, NONE, 0, 0, 0, 0, 6, 0, 0)                           \
    X(Alltoall_init, alltoall_init, 9, ALL, NONE, 0, 0, 0, 0, 6, 0, 0)                             \
    X(Recv_init, recv_init, 7, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                   \
    X(Put, put, 8, PLAIN, COUNT, 0, 1, 2, 0, 0, 1, 2)                                              \
    X(Get, get, 8, PLAIN, COUNT, 0, 1, 2, 0, 0, 1, 2)                                              \
    X(Accumulate, accumulate, 9, PLAIN, COUNT, 0, 1, 2, 0, 0, 1, 2)                                \
    X(Get_accumulate, get_accumulate, 12, PLAIN, COUNT, 0, 1, 2, 0, 0, 1, 2)                       \
    X(Rput, rput, 9, PLAIN, COUNT, 0, 1, 2, 0, 0, 1, 2)                                            \
    X(Rget, rget, 9, PLAIN, COUNT, 0, 1, 2, 0, 0, 1, 2)                                            \
    X(Raccumulate, raccumulate, 10, PLAIN, COUNT, 0, 1, 2, 0, 0, 1, 2)                             \
    X(Win_create, win_create, 6, ALL, NONE, 0, 0, 0, 0, 4, 0, 0)                                   \
    X(Win_allocate, win_allocate, 6, ALL, NONE, 0, 0, 0, 0, 3, 0, 0)                               \
    X(Win_allocate_shared, win_allocate_shared, 6, ALL, NONE, 0, 0, 0, 0, 3, 0, 0)

/* Calls without counts. */
#define PIT__MPI_UNCOUNTED(X)                                                                      \
    X(Probe, probe, 4, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                           \
    X(Iprobe, iprobe, 5, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                         \
    X(Mprobe, mprobe, 5, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                         \
    X(Improbe, improbe, 6, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                       \
    X(Wait, wait, 2, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                             \
    X(Waitall, waitall, 3, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                       \
    X(Waitany, waitany, 4, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                       \
    X(Waitsome, waitsome, 5, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                     \
    X(Test, test, 3, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                             \
    X(Testall, testall, 4, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                       \
    X(Testany, testany, 5, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                       \
    X(Testsome, testsome, 5, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                     \
    X(Start, start, 1, START, NONE, 0, 0, 0, 0, 0, 0, 0)                                           \
    X(Startall, startall, 2, START, NONE, 1, 0, 0, 1, 0, 0, 0)                                     \
    X(Request_free, request_free, 1, FORGET, NONE, 0, 0, 0, 0, 0, 0, 0)                            \
    X(Comm_free, comm_free, 1, FREE, NONE, 0, 0, 0, 0, 0, 0, 0)                                    \
    X(Comm_disconnect, comm_disconnect, 1, FREE, NONE, 0, 0, 0, 0, 0, 0, 0)                        \
    X(Barrier, barrier, 1, MEET, NONE, 0, 0, 0, 0, 0, 0, 0)                                        \
    X(Ibarrier, ibarrier, 2, ALL, NONE, 0, 0, 0, 0, 0, 0, 0)                                       \
    X(Barrier_init, barrier_init, 3, ALL, NONE, 0, 0, 0, 0, 0, 0, 0)                               \
    X(Comm_idup, comm_idup, 3, ALL, NONE, 0, 0, 0, 0, 0, 0, 0)                                     \
    X(Win_create_dynamic, win_create_dynamic, 3, ALL, NONE, 0, 0, 0, 0, 1, 0, 0)                   \
    X(Abort, abort, 2, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)                                           \
    X(Win_free, win_free, 1, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                     \
    X(Win_fence, win_fence, 2, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                   \
    X(Win_lock, win_lock, 4, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                     \
    X(Win_unlock, win_unlock, 2, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                 \
    X(Win_lock_all, win_lock_all, 2, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                             \
    X(Win_unlock_all, win_unlock_all, 1, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                         \
    X(Win_flush, win_flush, 2, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                   \
    X(Win_flush_all, win_flush_all, 1, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                           \
    X(Win_flush_local, win_flush_local, 2, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                       \
    X(Win_flush_local_all, win_flush_local_all, 1, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)               \
    X(Win_sync, win_sync, 1, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                     \
    X(Win_post, win_post, 3, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                     \
    X(Win_start, win_start, 3, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                   \
    X(Win_complete, win_complete, 1, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                             \
    X(Win_wait, win_wait, 1, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                     \
    X(Win_test, win_test, 2, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                                     \
    X(Fetch_and_op, fetch_and_op, 7, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                             \
    X(Compare_and_swap, compare_and_swap, 7, PLAIN, NONE, 0, 0, 0, 0, 0, 0, 0)                     \
    X(Comm_dup, comm_dup, 2, MAKE, NONE, 0, 0, 0, 1, 0, 0, 0)                                      \
    X(Comm_dup_with_info, comm_dup_with_info, 3, MAKE, NONE, 0, 0, 0, 2, 0, 0, 0)                  \
    X(Comm_split, comm_split, 4, MAKE, NONE, 0, 0, 0, 3, 0, 0, 0)                                  \
    X(Comm_split_type, comm_split_type, 5, MAKE, NONE, 0, 0, 0, 4, 0, 0, 0)                        \
    X(Comm_create, comm_create, 3, MAKE, NONE, 0, 0, 0, 2, 0, 0, 0)                                \
    X(Cart_create, cart_create, 6, MAKE, NONE, 0, 0, 0, 5, 0, 0, 0)                                \
    X(Cart_sub, cart_sub, 3, MAKE, NONE, 0, 0, 0, 2, 0, 0, 0)                                      \
    X(Graph_create, graph_create, 6, MAKE, NONE, 0, 0, 0, 5, 0, 0, 0)                              \
    X(Dist_graph_create, dist_graph_create, 9, MAKE, NONE, 0, 0, 0, 8, 0, 0, 0)                    \
    X(Dist_graph_create_adjacent, dist_graph_create_adjacent, 10, MAKE, NONE, 0, 0, 0, 9, 0, 0, 0) \
    X(File_close, file_close, 1, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)                                 \
    X(File_sync, file_sync, 1, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)                                   \
    X(File_set_size, file_set_size, 2, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)                           \
    X(File_read_all_end, file_read_all_end, 3, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)                   \
    X(File_write_all_end, file_write_all_end, 3, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)                 \
    X(File_read_at_all_end, file_read_at_all_end, 3, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)             \
    X(File_write_at_all_end, file_write_at_all_end, 3, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)           \
    X(File_read_ordered_end, file_read_ordered_end, 3, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)           \
    X(File_write_ordered_end, file_write_ordered_end, 3, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)

/* Calls in C only: in Fortran they have a text, whose length is an additional argument. */
#define PIT__MPI_WITH_TEXT(X)                                                                      \
    X(File_open, file_open, 5, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)                                   \
    X(File_set_view, file_set_view, 6, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)

#endif
