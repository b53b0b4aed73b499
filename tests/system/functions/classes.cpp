/* C++ for test_functions.py: namespaces, classes, templates, lambdas, exceptions. */
#include <cstdio>
#include <stdexcept>

#define ALONE __attribute__((noinline))

namespace net {

static volatile int sink;

template <class T> class Layer {
  public:
    explicit ALONE Layer(T weight) : weight_(weight) {}
    ALONE ~Layer() { sink = sink + 1; }
    ALONE T forward(T x) const { return weight_ * x; }
    ALONE T operator()(T x) const { return forward(x); }

  private:
    T weight_;
};

static ALONE int checked(int n)
{
    if (n % 4 == 0)
        throw std::runtime_error("a multiple of four");
    return n;
}

namespace {
ALONE int hidden(int n)
{
    return n + 1;
}
} // namespace

ALONE int guarded(int n)
{
    try {
        return checked(n);
    } catch (const std::exception &) {
        return hidden(n);
    }
}

} // namespace net

int main()
{
    double sum = 0;
    {
        net::Layer<double> layer(2.0);
        for (int i = 0; i < 12; i++)
            sum += layer(i) + net::guarded(i);
    }
    auto twice = [&sum](double x) ALONE { return 2 * x + sum; };
    std::printf("%g\n", twice(1) + twice(2));
    return 0;
}
