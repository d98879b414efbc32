// `-D` values: exact, whatever their size, and fitted to the parameter's type once.
#include "support/catch.hpp"

#include "memlane/lang/check.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/lang/values.hpp"

using namespace memlane;
using namespace memlane::lang;

namespace {

constexpr const char* text =
    "param m: long = 9007199254740993\n"
    "param n: long = 1\n"
    "param k: int = 4\n"
    "param x: double = 0.5\n"
    "param f: float = 1\n"
    "param yes: bool = false\n"
    "const twice = n * 2\n"
    "memory a[4]: int\n"
    "fn half(i) = i / 2\n"
    "fn steps(i) { var s = 0  var r = i  while r > 1 { r = r / 2  s += 1 }\n"
    "  return s }\n"
    "main { }\nverify { assert true }\n";

/// The parameter as a run lists it, or the first message.
std::string bound_value(const Checked& checked, const Bindings& bindings, const std::string& name,
                        const Sources& sources) {
  const auto code = lower(checked, bindings, sources);
  if (!code) return code.errors().front().message;
  for (const ir::Constant& constant : code->constants)
    if (constant.name == name) return to_string(constant.type, constant.value);
  return "";
}

/// The parameter as a run lists it, with `-D NAME=VALUE` for each option, or the first message.
std::string value_of(const std::string& name, const std::vector<std::string>& options) {
  Sources sources;
  auto program = parse_text(sources, sources.add("p.lane", text));
  REQUIRE(program);
  const auto checked = check(sources, std::move(*program));
  REQUIRE(checked);
  Bindings bindings{{{"w", 32}}, "a machine", {}};
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    auto value = parse_expression(sources, sources.add("-D", option),
                                  static_cast<std::uint32_t>(equals + 1));
    REQUIRE(value);
    bindings.params.push_back({option.substr(0, equals), std::move(*value)});
  }
  const std::string value = bound_value(*checked, bindings, name, sources);
  // Values that are checked once, for many runs, are the same.
  for (ParamValue& set : bindings.params) {
    const auto typed =
        check_param_value(sources, *checked, *find_param(*checked, set.name), set.value);
    if (typed) {
      set.checked = std::make_shared<const TExpr>(*typed);
    } else {
      CHECK(typed.errors().front().message == value);
    }
  }
  CHECK(bound_value(*checked, bindings, name, sources) == value);
  return value;
}

std::string value_of(const std::string& option) {
  return value_of(option.substr(0, option.find('=')), {option});
}

} // namespace

TEST_CASE("whole numbers of -D are exact up to the ends of a long") {
  CHECK(value_of("n=m") == "9007199254740993");
  CHECK(value_of("n=m+2") == "9007199254740995");
  CHECK(value_of("n", {"m=2^62+1", "n=2*m-3"}) == "9223372036854775807");
  CHECK(value_of("n=2^63-1") == "9223372036854775807");
  CHECK(value_of("n=-2^63") == "-9223372036854775808");
  CHECK(value_of("n=-9223372036854775808") == "-9223372036854775808");
  CHECK(value_of("n=-0x8000000000000000") == "-9223372036854775808");
  CHECK(value_of("n=1-9223372036854775807-2") == "-9223372036854775808");
  CHECK(value_of("n=2^200/2^190+1") == "1025");
  CHECK(value_of("n=2^63") == "parameter n is a long: 9223372036854775808 does not fit 64 bits");
  CHECK(value_of("k=2^70").find("does not fit 32 bits") != std::string::npos);
  CHECK(value_of("k=2^31") == "parameter k is an int: 2147483648 does not fit 32 bits");
}

TEST_CASE("values of -D are expressions of the language over what is constant") {
  CHECK(value_of("n=8/2") == "4");
  CHECK(value_of("n=7/2") == "parameter n is a long: write a whole number");
  CHECK(value_of("n=floor(7/2)") == "3");
  CHECK(value_of("n=ceil(m/2)") == "4503599627370497");
  CHECK(value_of("n=7/2*2") == "7");
  CHECK(value_of("n=7/2%3") == "parameter n is a long: write a whole number");
  CHECK(value_of("n=half(7) + half(half(9))") == "5");
  CHECK(value_of("n=steps(2^100)") == "100");
  CHECK(value_of("n=log2(1000) + max(k, w)") == "41");
  CHECK(value_of("twice", {"n=2^40"}) == "2199023255552");
  CHECK(value_of("k", {"k=twice+1", "n=2"}) == "5");
  CHECK(value_of("yes=n < 2 and w == 32") == "true");
  CHECK(value_of("n=int(sqrt(17))") == "4");
}

TEST_CASE("real values of -D are rounded once") {
  CHECK(value_of("x=0.1") == "0.1");
  CHECK(value_of("x=0.1 + 0.2") == "0.3");
  CHECK(value_of("x=1/3") == "0.3333333333333333");
  CHECK(value_of("x=1/3.0") == "0.3333333333333333");
  CHECK(value_of("x=(n+1)/4") == "0.5");
  CHECK(value_of("x=half(3)") == "1");
  CHECK(value_of("x=-0.0") == "-0");
  CHECK(value_of("x=-0") == "-0"); // as it is written above
  CHECK(value_of("f=-0.0") == "-0");
  CHECK(value_of("x=0.0") == "0");
  CHECK(value_of("x=2.0/3") == "0.6666666666666666");
  CHECK(value_of("x=2^0.5") == "1.4142135623730951");
  CHECK(value_of("x=9007199254740993") == "9007199254740992"); // a tie goes to the even one
  CHECK(value_of("x=9007199254740993 + 2^-40.0") == "9007199254740994");
  CHECK(value_of("f=1 + 2^-24.0 + 2^-60.0") == "1.0000001");
  CHECK(value_of("f=1e300") ==
        "parameter f is a float: a number of 301 digits is beyond its range");
}

TEST_CASE("wrong values of -D have one message each") {
  CHECK(value_of("n=3.5") == "parameter n is a long: write a whole number");
  CHECK(value_of("n=true") == "parameter n is a long: write a number");
  CHECK(value_of("yes=1") == "parameter yes is a bool: write true or false");
  CHECK(value_of("n=1/0") == "division by zero");
  CHECK(value_of("n=2^-1") == "negative power of an integer");
  CHECK(value_of("n=nn") == "unknown name 'nn'");
  CHECK(value_of("n=thread") == "'thread' is not constant, as the value of parameter n must be");
  CHECK(value_of("n=a[0]") == "'a[0]' is not constant, as the value of parameter n must be");
  CHECK(value_of("n=twice") == "the value of parameter n depends on itself");
  CHECK(value_of("n", {"n=m", "m=n"}) == "the value of parameter m depends on itself");
  CHECK(value_of("n=l") == "machine a machine has no l");
}
