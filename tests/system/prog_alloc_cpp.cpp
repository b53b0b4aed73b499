// A C++ program with 8 threads under libpitwall-alloc.so: every form of new and delete is counted
// exactly, and containers come out even. Without the library it does the same work and says so.

#include "alloc_check.h"

#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Plain {
    long numbers[9];
};
struct alignas(128) Aligned {
    char bytes[300];
};

counters now()
{
    return api ? *api->counters() : counters();
}

// One block allocated, looked at and freed, by the pair of functions given.
template <class Make, class Drop> void pair(const char *what, Make make, Drop drop)
{
    counters before = now();
    auto *block = make();
    kept(block);
    counters between = now();
    long long size = size_of(block);
    drop(block);
    counters after = now();
    if (!api)
        return;
    check_step(what, before, between, 1, size, 0, 0);
    check_step(what, between, after, 0, 0, 1, size);
}

void every_form()
{
    pair("new", [] { return new Plain(); }, [](Plain *p) { delete p; });
    pair("new[]", [] { return new int[1000]; }, [](int *p) { delete[] p; });
    pair("new nothrow", [] { return new (std::nothrow) Plain; }, [](Plain *p) { delete p; });
    pair("new aligned", [] { return new Aligned; }, [](Aligned *p) { delete p; });
    pair("new[] aligned", [] { return new Aligned[3]; }, [](Aligned *p) { delete[] p; });
    pair("operator new", [] { return ::operator new(77); },
         [](void *p) { ::operator delete(p, 77); });
}

// The same number of blocks freed as allocated, whatever the containers do inside.
long containers(int seed)
{
    std::map<std::string, std::vector<long>> table;
    for (int i = 0; i < 3000; i++) {
        std::vector<long> &row = table["a key that is too long to be kept inside " +
                                       std::to_string((i * 7919 + seed) % 500)];
        row.push_back(i);
        row.push_back(seed);
    }
    long sum = 0;
    for (const auto &entry : table)
        for (long number : entry.second)
            sum += number;
    return sum;
}

void work(int seed, long *result)
{
    every_form();
    counters before = now();
    *result = containers(seed);
    counters after = now();
    if (!api)
        return;
    check_true("containers allocate", after.allocs - before.allocs > 3000);
    check_equal("containers: blocks", (long long)(after.frees - before.frees),
                (long long)(after.allocs - before.allocs));
    check_equal("containers: bytes", after.live - before.live, 0);
}

// An allocation that fails throws, as it does without the library.
bool throws()
{
    volatile std::size_t huge = static_cast<std::size_t>(-1) / 4;
    try {
        delete[] static_cast<char *>(kept(new char[huge]));
    } catch (const std::bad_alloc &) {
        return true;
    }
    return false;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "counted") == 0)
        find_api();
    std::vector<std::thread> threads;
    std::vector<long> results(8);
    for (int i = 0; i < 8; i++)
        threads.emplace_back(work, i, &results[static_cast<std::size_t>(i)]);
    for (auto &thread : threads)
        thread.join();
    // Allocated on another thread, freed here.
    Plain *handed = nullptr;
    std::thread([&handed] { handed = new Plain(); }).join();
    counters before = now();
    long long size = size_of(handed);
    delete handed;
    if (api)
        check_step("freed here", before, now(), 0, 0, 1, size);
    for (long result : results)
        printf("%ld\n", result);
    puts(throws() ? "throws" : "does not throw");
    return failures != 0;
}
