// PTX texts, decoded.
#include "support/catch.hpp"

#include "memlane/ptx/link.hpp"
#include "memlane/ptx/module.hpp"
#include "memlane/ptx/names.hpp"
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

TEST_CASE("names of C are no mangled types") {
  CHECK(ptx::shared_array_name("s") == "s");
  CHECK(ptx::source_name("f") == "f");
  CHECK(ptx::readable_name("_Z3addPi") == "add(int*)");
}

TEST_CASE("a block takes the shared memory that its kernel names or declares and what it calls") {
  Sources sources;
  const std::int32_t text = sources.add("a.ptx", R"(.version 9.0
.target sm_75
.address_size 64
.shared .align 4 .b8 used[12];
.shared .align 16 .b8 of_others[4096];
.extern .shared .align 16 .b8 dynamic[];
.func called()
{
  .shared .align 8 .b8 inner[16];
  .reg .b32 %r<2>;
  mov.u32 %r0, inner;
  ld.shared.u32 %r1, [%r0];
  ret;
}
.visible .entry both()
{
  .reg .b32 %r<2>;
  ld.shared.u32 %r0, [used+8];
  mov.u32 %r1, dynamic;
  call called;
  ret;
}
.visible .entry none()
{
  ret;
}
.visible .entry large()
{
  .shared .align 4 .b8 own[100];
  .reg .b32 %r<3>;
  mov.u32 %r0, of_others;
  mov.u32 %r1, own;
  ret;
}
)");
  const auto module = ptx::parse(sources, text);
  INFO((module ? std::string() : render(module.errors(), sources)));
  REQUIRE(module);
  const auto bytes_of = [&](std::string_view kernel) {
    std::size_t number = 0;
    while (module->functions[number].name != kernel) ++number;
    return ptx::static_shared_of(*module, number);
  };
  CHECK(bytes_of("both") == 32); // 12, and 16 from byte 16 on
  CHECK(bytes_of("none") == 0);
  CHECK(bytes_of("large") == 4196);
}

} // namespace memlane::test
