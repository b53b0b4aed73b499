"""MPI from Python, by mpi4py: buffers and objects; each rank writes the calls it made
into the file said-RANK."""

from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()
out, into = array("d", [1.0] * 10), array("d", [0.0] * 10)
for _ in range(30):
    world.Allreduce([out, MPI.DOUBLE], [into, MPI.DOUBLE])
    world.Barrier()
half = world.Split(0, -rank)
for _ in range(5):
    half.Bcast([out, MPI.DOUBLE], root=0)
half.Free()
world.Sendrecv([out, MPI.DOUBLE], (rank + 1) % ranks, 0, [into, MPI.DOUBLE])
with open("said-%d" % rank, "w", encoding="ascii") as words:
    for name, calls, in_bytes in (("Allreduce", 30, 30 * 80), ("Barrier", 30, 0), ("Bcast", 5, 5 * 80),
                                  ("Comm_split", 1, 0), ("Comm_free", 1, 0), ("Sendrecv", 1, 80)):
        words.write("%d MPI_%s %d %d\n" % (rank, name, calls, in_bytes))
