! MPI from Fortran 90, by `use mpi`.
program calls_mpi
  use mpi
  implicit none
  integer :: ierr, rank, ranks, i, words
  character(len=32) :: path
  integer :: half, request, status(MPI_STATUS_SIZE)
  double precision :: out(8), in(8)
  include 'calls_body.inc'
end program
