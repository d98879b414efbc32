#include "support/catch.hpp"

#include "memlane/show/kernel_name.hpp"
#include "memlane/show/text_table.hpp"

namespace memlane {

TEST_CASE("columns are aligned and lines have no trailing blanks") {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"a", "1", "end"});
  table.add({"longer", "1000", ""});
  table.add({"b"});
  CHECK(table.text() == "a          1  end\nlonger  1000\nb\n");
  CHECK(TextTable({Align::left}).text().empty());
}

TEST_CASE("where rows are too wide, the last text is cut first, and names as little as possible") {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({std::string(30, 'n'), "12", std::string(40, 't')});
  CHECK(table.text(0, 60) == std::string(30, 'n') + "  12  " + std::string(23, 't') + "…\n");
  CHECK(table.text(2, 50) ==
        "  " + std::string(25, 'n') + "…  12  " + std::string(15, 't') + "…\n");
  CHECK(table.text(0, 0) == table.text(0, 76));
}

TEST_CASE("columns that do not fit even so follow below, beside the first ones") {
  TextTable table({Align::right, Align::name, Align::right, Align::right, Align::left});
  table.add({"no", "kernel", "requests", "stages", "source"});
  table.add({"0", "space::first_of_two_kernels<float, 32>", "1", "2", std::string(40, 's')});
  table.add({"1", "space::first_of_two_kernels<float, 64>"});
  const std::string s(15, 's');
  CHECK(table.text(1, 50) == " no  kernel                       requests  stages\n"
                             "  0  first_of_two_…ls<float, 32>         1       2\n"
                             "  1  first_of_two_…ls<float, 64>\n"
                             "\n"
                             " no  kernel                       source\n"
                             "  0  first_of_two_…ls<float, 32>  " +
                                 s +
                                 "…\n"
                                 "  1  first_of_two_…ls<float, 64>\n");
  TextTable numbers({Align::right, Align::right, Align::right});
  numbers.add({"first", "second", "third"});
  CHECK(numbers.text(0, 15) == "first  second\n\nfirst  third\n");
  CHECK(numbers.text(0, 2) == "first  second\n\nfirst  third\n"); // it has no room for less
  CHECK(numbers.text(0, 20) == "first  second  third\n");
}

TEST_CASE("names of kernels lose their scopes before they are cut") {
  const std::string name = "void own::detail::sum_of<float, (own::Kind)1>(float*, int)";
  CHECK(name_in_width(name, 60) == name);
  CHECK(name_in_width(name, 50) == "sum_of<float, (own::Kind)1>(float*, int)");
  CHECK(name_in_width(name, 20) == "sum_of<fl…oat*, int)");
  CHECK(name_in_width("void (anonymous namespace)::hidden(std::pair<int, int>)", 30) ==
        "hidden(std::pair<int, int>)");
  CHECK(name_in_width("sum", 2) == "…m");
}

TEST_CASE("names keep their ends where they are cut, and prose goes on in the next line") {
  TextTable table({Align::name, Align::right});
  const std::string name = "größter_" + std::string(200, 'x') + "_kernel_für_alle";
  table.add({name, "12"});
  CHECK(display_width(table.text()) == 100 + 4 + 1);
  CHECK(table.text(0, 30) == "größter_xxxx…rnel_für_alle  12\n");
  TextTable words({Align::left, Align::prose});
  words.add({"latency", "a warp waits for its request"});
  words.add({"drain", "the last"});
  CHECK(words.text(1, 30) == " latency  a warp waits for its\n"
                             "          request\n"
                             " drain    the last\n");
}

TEST_CASE("a character of several bytes is one column wide") {
  TextTable table({Align::left, Align::left});
  table.add({"Größe", "x"});
  table.add({"12345", "x"});
  CHECK(table.text(2) == "  Größe  x\n  12345  x\n");
  CHECK(display_width("…") == 1);
}

TEST_CASE("what moves the cursor or is not UTF-8 is replaced") {
  CHECK(on_one_line("a\tb\nc\x1b[31m", 80) == "a b c\\x1b[31m");
  CHECK(on_one_line("\xff\xfe", 80) == "\\xff\\xfe");
  CHECK(on_one_line("\xc0\x80", 80) == "\\xc0\\x80");                   // overlong
  CHECK(on_one_line("\xed\xa0\x80", 80) == "\\xed\\xa0\\x80");          // a surrogate
  CHECK(on_one_line("\xf4\x90\x80\x80", 80) == "\\xf4\\x90\\x80\\x80"); // beyond Unicode
  CHECK(on_one_line("cut \xe2\x82", 80) == "cut \\xe2\\x82");
  CHECK(on_one_line("\xc2\x9b"
                    "1m",
                    80) == "\\u009b1m"); // a control character of two bytes
  CHECK(on_one_line("\xf0\x9f\x98\x80", 80) == "\xf0\x9f\x98\x80");
}

TEST_CASE("long lines end in an ellipsis that fits") {
  CHECK(on_one_line("12345", 5) == "12345");
  CHECK(on_one_line("123456", 5) == "1234…");
  CHECK(on_one_line("ääääää", 5) == "ääää…");
  CHECK(display_width(on_one_line(std::string(1000, 'x'), 58)) == 58);
}

} // namespace memlane
