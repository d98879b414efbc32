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

TEST_CASE("a modulus that is not prime is an error with its value", "[release]") {
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

TEST_CASE("a divisor's leading coefficient may be 0 by the modulus alone") {
  const Playground playground;
  spit(playground.folder() + "/b.txt", "1 2 7");
  const Outcome outcome =
      playground.run("memlane run division" + machine + " -D n=5 -D m=3 -D q=7 --input b=$T/b.txt");
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("the divisor's leading coefficient, is 0") != std::string::npos);
}

TEST_CASE("coefficients that are not of the field fail the check", "[release]") {
  const Playground playground;
  for (const char* const program : {"division_naive", "division", "gcd_naive", "gcd"})
    for (const char* const numbers : {"1 2 3 4 7", "-1 2 3 4 5", "1 2 3 4 2147483647"}) {
      spit(playground.folder() + "/a.txt", numbers);
      const Outcome outcome = playground.run("memlane run " + std::string(program) + machine +
                                             " -D n=5 -D m=3 -D q=7 --input a=$T/a.txt");
      INFO(program << " " << numbers << "\n" << outcome.err);
      CHECK(outcome.status == 1);
      CHECK(outcome.err.find("a has a coefficient that is not from 0 to q - 1") !=
            std::string::npos);
    }
}

TEST_CASE("claims about blocks of 3s threads or s threads are not judged for others", "[release]") {
  const Playground playground;
  for (const char* const program : {"division -D n=50 -D m=3", "gcd -D n=17"})
    for (const char* const shape : {"-D s=7 -D t=5", "-D s=3 -D t=1", "-D s=5 -D each=3 -D t=2",
                                    "-D s=1 -D each=3 -D t=32"}) {
      const Outcome outcome = playground.run("memlane run " + std::string(program) + " " + shape +
                                             " -m mmm-gpu -D q=257");
      INFO(program << " " << shape << "\n" << outcome.out << outcome.err);
      CHECK(outcome.status == 0);
    }
}

TEST_CASE("a parameter that breaks its condition is named before what follows from it") {
  check_refused("memlane run division" + machine + " -D each=0",
                "parameter each = 0 breaks its condition", 2);
  check_refused("memlane run prefix_asynchronous -m umm-teaching --set width=1 --set threads=4",
                "breaks its condition: 2 <= n <= 2^29 and w >= 2", 2);
}

TEST_CASE("the naive program and the one of s steps leave the same arrays", "[release]") {
  const Playground playground;
  for (const char* const programs : {"division_naive division", "gcd_naive gcd"}) {
    for (const char* const sizes :
         {"-D n=100 -D m=50", "-D n=37 -D m=37 -D s=7", "-D n=5 -D m=9", "-D n=20 -D m=1 -D q=2"}) {
      const Outcome outcome = playground.run("memlane compare " + std::string(programs) +
                                             " -m mmm-gpu " + sizes + " --format json");
      INFO(programs << " " << sizes << "\n" << outcome.out << outcome.err);
      CHECK(outcome.status == 0);
    }
  }
}

} // namespace memlane::test
