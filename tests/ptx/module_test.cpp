// PTX texts, decoded.
#include "support/catch.hpp"

#include "memlane/ptx/module.hpp"
#include "memlane/support/diagnostic.hpp"

namespace memlane::test {

TEST_CASE("an opcode that memlane does not execute is named with its line") {
  Sources sources;
  const std::int32_t text =
      sources.add("a.ptx", ".version 9.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry k() {\n wgmma.fence;\n ret;\n}\n");
  const auto module = ptx::parse(sources, text);
  REQUIRE(!module);
  const std::string said = render(module.errors(), sources);
  INFO(said);
  CHECK(said.find("a.ptx:5") == 0);
  CHECK(said.find("wgmma") != std::string::npos);
}

} // namespace memlane::test
