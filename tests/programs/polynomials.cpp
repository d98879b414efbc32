// The programs for polynomials: their errors, their shapes on small machines, and floating point.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace memlane::test {
namespace {

const std::string machine = " -m hmm-teaching --set threads=64 --set shared.capacity=1024";

void check_refused(const std::string& command, const std::string& message, int status) {
  const Playground playground;
  const Outcome outcome = playground.run(command);
  INFO(command << "\n" << outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.err.find(message) != std::string::npos);
}

} // namespace

TEST_CASE("a modulus that is not prime is an error with its value") {
  // 3215031751 and 2047 are strong pseudoprimes to base 2, 314821 to bases 2 and 7.
  for (const char* const q : {"-7", "0", "1", "4", "2047", "314821", "998244351", "2147483643"})
    check_refused("memlane run division_naive" + machine + " -D q=" + q,
                  "parameter q = " + std::string(q) + " breaks its condition: is_prime(q)", 2);
  const Playground playground;
  for (const char* const q : {"2", "3", "5", "7", "61", "67", "2147483629", "2147483647"})
    CHECK(playground.run("memlane run division" + machine + " -D q=" + q).status == 0);
}

TEST_CASE("a divisor without a leading coefficient stops a division") {
  const Playground playground;
  for (const char* const program : {"division_naive", "division"}) {
    for (const char* const divisor : {"0 0 0", "1 2 0"}) {
      spit(playground.folder() + "/b.txt", divisor);
      const Outcome outcome = playground.run("memlane run " + std::string(program) + machine +
                                             " -D n=5 -D m=3 --input b=$T/b.txt");
      INFO(outcome.err);
      CHECK(outcome.status == 2);
      CHECK(outcome.err.find("b[m - 1], the divisor's leading coefficient, is 0") !=
            std::string::npos);
    }
  }
}

} // namespace memlane::test
