! MPI from Fortran 2008, by `use mpi_f08`.
program calls_f08
  use mpi_f08
  implicit none
  integer :: ierr, rank, ranks, i, words
  character(len=32) :: path
  type(MPI_Comm) :: half
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  double precision :: out(8), in(8)
  include 'calls_body.inc'
end program
