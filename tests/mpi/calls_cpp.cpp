// MPI as a C++ program uses it: a communicator that frees itself, calls in a template and a method.
#include <mpi.h>

#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace {

class Copy {
  public:
    explicit Copy(MPI_Comm of) { MPI_Comm_dup(of, &comm_); }
    ~Copy() { MPI_Comm_free(&comm_); }
    Copy(const Copy &) = delete;
    Copy &operator=(const Copy &) = delete;

    template <typename T>
    __attribute__((noinline)) T sum(const std::vector<T> &of, MPI_Datatype type) const
    {
        std::vector<T> all(of.size());
        MPI_Allreduce(of.data(), all.data(), static_cast<int>(of.size()), type, MPI_SUM, comm_);
        return std::accumulate(all.begin(), all.end(), T{});
    }

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

} // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    {
        Copy copy(MPI_COMM_WORLD);
        for (int i = 0; i < 3; i++)
            copy.sum(std::vector<double>(10, 1.0), MPI_DOUBLE);
        copy.sum(std::vector<float>(2, 1.0F), MPI_FLOAT);
    }
    std::ofstream words("said-" + std::to_string(rank));
    words << rank << " MPI_Comm_dup 1 0\n"
          << rank << " MPI_Allreduce 4 248\n"
          << rank << " MPI_Comm_free 1 0\n"
          << rank << " MPI_Init 1 0\n"
          << rank << " MPI_Finalize 1 0\n"
          << rank << " messages 0 0\n"
          << rank << " all:4 1 8\n"
          << rank << " all:7 3 240\n";
    words.close();
    MPI_Finalize();
    return 0;
}
