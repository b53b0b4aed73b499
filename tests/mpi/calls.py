"""MPI from Python, by mpi4py: buffers and objects; each rank prints what it called."""

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
print(rank, "MPI_Allreduce", 30, 30 * 80)
print(rank, "MPI_Barrier", 30, 0)
print(rank, "MPI_Bcast", 5, 5 * 80)
print(rank, "MPI_Comm_split", 1, 0)
print(rank, "MPI_Comm_free", 1, 0)
print(rank, "MPI_Sendrecv", 1, 80, flush=True)
