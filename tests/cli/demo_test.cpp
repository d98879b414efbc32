// Lessons in a terminal: what they say, and that what they say can be run.
#include "shell.hpp"
#include "support/catch.hpp"

#include "memlane/study/figures/lesson.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <regex>
#include <sstream>

namespace memlane::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lesson_paths() {
  std::vector<std::string> paths;
  for (const auto& entry :
       fs::directory_iterator(std::string(MEMLANE_SOURCE_DIR) + "/configs/lessons"))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  REQUIRE(paths.size() == 14);
  return paths;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The value of `1 + 2*3^2` or `46/4 - 1`: what such a text means in a lesson.
class Arithmetic {
public:
  explicit Arithmetic(std::string text) : text_(std::move(text)) { std::erase(text_, ' '); }
  double value() {
    const double sum = terms();
    return at_ == text_.size() ? sum : NAN;
  }

private:
  bool takes(char sign) { return at_ < text_.size() && text_[at_] == sign && ++at_ > 0; }
  double number() {
    std::size_t used = 0;
    const double value = at_ < text_.size() && std::isdigit(text_[at_]) != 0
                             ? std::stod(text_.substr(at_), &used)
                             : NAN;
    at_ += used;
    return value;
  }
  double power() {
    const double base = number();
    return takes('^') ? std::pow(base, number()) : base;
  }
  double product() {
    double value = power();
    while (true) {
      if (takes('*'))
        value *= power();
      else if (takes('/'))
        value /= power();
      else
        return value;
    }
  }
  double terms() {
    double value = product();
    while (true) {
      if (takes('+'))
        value += product();
      else if (takes('-'))
        value -= product();
      else
        return value;
    }
  }

  std::string text_;
  std::size_t at_ = 0;
};

/// What is wrong in the text: `A = N` where A is arithmetic and its value another one. `checked`
/// counts all of them.
std::vector<std::string> wrong_sums(std::string text, int& checked) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::regex equation(R"((\d+(?: ?[-+*/^] ?\d+)+) = (\d+))");
  std::vector<std::string> wrong;
  for (auto found = std::sregex_iterator(text.begin(), text.end(), equation);
       found != std::sregex_iterator(); ++found, ++checked) {
    const double right = Arithmetic((*found)[1].str()).value();
    // "About" drops what is behind the point.
    if (!(std::abs(right - std::stod((*found)[2].str())) < 1)) wrong.push_back(found->str());
  }
  return wrong;
}

/// The cells of a line of CSV; commas in quotes separate nothing.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    quoted ^= c == '"';
    if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

/// All that `memlane WORDS` writes to a terminal. `keys` are typed at its first question.
std::string in_terminal(const Playground& playground, const std::string& words,
                        const std::string& keys) {
  winsize size{24, 80, 0, 0};
  int terminal = 0;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  REQUIRE(child >= 0);
  if (child == 0) {
    setenv("MEMLANE_HOME", playground.folder().c_str(), 1);
    if (chdir(playground.folder().c_str()) != 0) _exit(1);
    execl("/bin/sh", "sh", "-c", ("exec build/release/memlane " + words + " 2>errors.txt").c_str(),
          nullptr);
    _exit(1);
  }
  std::string written;
  bool typed = false;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(terminal, part.data(), part.size())) > 0;) {
    written.append(part.data(), static_cast<std::size_t>(got));
    if (typed || !has(written, "Your guess")) continue;
    typed = true;
    CHECK(write(terminal, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  close(terminal);
  waitpid(child, nullptr, 0);
  std::erase(written, '\r');
  return written;
}

} // namespace

namespace {

/// A line of a program, after its number.
bool is_program(const std::string& line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at >= 2 && at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0 &&
         line.find("  ", at) < at + 4;
}

} // namespace

TEST_CASE("every lesson fits 80 columns, and what it proposes runs", "[release]") {
  const Playground playground;
  for (const std::string& path : lesson_paths()) {
    const nlohmann::json lesson = nlohmann::json::parse(slurp(path));
    const Outcome shown =
        playground.run("memlane demo " + fs::path(path).stem().string().substr(3));
    INFO(path << "\n" << shown.err);
    CHECK(shown.status == 0);
    CHECK(has(shown.out, "\nAnswer: "));
    CHECK((!lesson.contains("program") || has(shown.out, "  kernel ") ||
           has(shown.out, " __global__ void ")));
    CHECK(!has(shown.out, " none")); // a number that the query did not find
    for (const std::string& line : lines_of(shown.out)) {
      INFO(line);
      const bool command = line.rfind("  memlane ", 0) == 0;
      const bool program = line.rfind("    ", 0) == 0 || is_program(line);
      CHECK((command || display_width(line) <= (program ? 100u : 80u))); // as it is written
    }
    // First what is seen, then the question; the papers' letters come last.
    const bool drawn = shown.out.find("memlane timeline") < shown.out.find("\nQuestion: ");
    CHECK(drawn == !lesson.at("pictures").at(0).contains("table"));
    CHECK(shown.out.find("\nQuestion: ") < shown.out.find("\nAnswer: "));
    CHECK(shown.out.find("\nAnswer: ") < shown.out.find("\nBackground\n"));
    std::vector<std::string> commands = lesson.at("try");
    REQUIRE(!commands.empty());
    if (lesson.contains("play")) {
      commands.push_back("memlane run " + std::string(lesson.at("play")));
      CHECK(lesson.contains("change"));
    }
    for (const std::string& command : commands) {
      const Outcome tried = playground.run(command);
      INFO(command << "\n" << tried.err);
      CHECK(tried.status == 0);
    }
  }
}

TEST_CASE("lessons name no machine of theory before their background", "[release]") {
  const Playground playground;
  const std::regex machine(R"(\b(DMM|UMM|HMM|AGPU|MMM|PRAM)\b)");
  int read = 0;
  for (const std::string& path : lesson_paths()) {
    const std::string name = fs::path(path).stem().string().substr(3);
    if (name == "machines") continue; // which is about them
    const std::string shown = playground.run("memlane demo " + name).out;
    for (const std::string& line : lines_of(shown.substr(0, shown.find("\nBackground\n")))) {
      if (is_program(line)) continue;
      INFO(name << ": " << line);
      CHECK_FALSE(std::regex_search(line, machine));
      ++read;
    }
  }
  CHECK(read > 300);
}

TEST_CASE("sums and products in lessons are right", "[release]") {
  CHECK(Arithmetic("2*128^3/16 + 128^2").value() == 278528);
  int checked = 0;
  CHECK(wrong_sums("so 3*20 + 1 = 61, and\n20 - 1 = 18 units", checked).size() == 1);
  CHECK(checked == 2);
  const Playground playground;
  for (const std::string& path : lesson_paths()) {
    const std::string name = fs::path(path).stem().string().substr(3);
    INFO(name);
    CHECK(wrong_sums(playground.run("memlane demo " + name).out, checked).empty());
  }
  CHECK(checked > 2 + 15);
}

TEST_CASE("numbers that lessons 1 to 3 type are those of their requests", "[release]") {
  const Playground playground;
  const auto places = [&](const std::string& words, const std::string& key) {
    const Outcome outcome = playground.run("memlane bank " + words + " --format json");
    INFO(words << outcome.err);
    REQUIRE(outcome.status == 0);
    std::vector<std::int64_t> found;
    const nlohmann::json bank = nlohmann::json::parse(outcome.out);
    for (const auto& lane : bank.at("requests").at(0).at("lanes")) found.push_back(lane.at(key));
    return found;
  };
  using Numbers = std::vector<std::int64_t>;
  CHECK(places("'2*lane' -m dmm-teaching", "bank") == Numbers{0, 2, 0, 2});
  CHECK(places("'3*lane' -m dmm-teaching", "bank") == Numbers{0, 3, 2, 1});
  CHECK(places("'4*lane' -m dmm-teaching", "bank") == Numbers{0, 0, 0, 0});
  CHECK(places("'2*lane' -m umm-teaching", "address_group") == Numbers{0, 0, 1, 1});
  CHECK(places("'3*lane' -m umm-teaching", "address_group") == Numbers{0, 0, 1, 2});
  CHECK(has(playground.run("memlane demo pipeline").out, ": 2 requests, 3 stages"));
}

TEST_CASE("the lesson on races shows wrong sums where barriers are missing") {
  const Playground playground;
  const Outcome races = playground.run("memlane demo races");
  CHECK(races.err.empty()); // the wrong sums are the lesson
  const std::string& shown = races.out;
  CHECK(has(shown, "\n                    0     10  wrong    49\n"));
  CHECK(has(shown, "\n         0  1     2     3     4     ✗ 7   ✗ 8   ✗ 8   8\n"));
  CHECK(has(shown, "\n         2  1     2     3     4     5     6     7     8\n"));
  CHECK(has(shown, "y[4] is 7 instead of 5"));
}

TEST_CASE("the lesson on divergence knows that runs longer than a warp may end inside one") {
  const Playground playground;
  const std::string shown = playground.run("memlane demo divergence").out;
  CHECK(has(shown, "nothing is lost if g is a multiple of w"));
  CHECK(has(shown, "\n  48        86      86   123\n"));
}

TEST_CASE("what lessons propose gives their own numbers", "[release]") {
  const Playground playground;
  int shown = 0;
  for (const std::string& path : lesson_paths()) {
    const nlohmann::json lesson = nlohmann::json::parse(slurp(path));
    const std::string text =
        playground.run("memlane demo " + fs::path(path).stem().string().substr(3)).out;
    for (const std::string command : lesson.at("try")) {
      const bool other = has(command, "figure_coalescing") || has(command, "latency=20") ||
                         has(command, "transpose_direct") || has(command, "-m dmm-w32 -D n=16384");
      const bool run = command.starts_with("memlane run ") || has(command, " --launch "),
                 set = has(command, " compare ");
      if (other || (!run && !set)) continue;
      const Outcome tried = playground.run(command + " --format csv");
      INFO(command << "\n" << tried.err);
      REQUIRE(tried.status == 0);
      const std::vector<std::string> lines = lines_of(tried.out);
      std::vector<std::string> columns = cells_of(lines.front());
      const auto time = std::find(columns.begin(), columns.end(), "time") - columns.begin();
      REQUIRE(static_cast<std::size_t>(time) < columns.size());
      for (std::size_t row = 1; row < lines.size(); ++row) {
        ++shown;
        INFO(lines[row]);
        CHECK(has(text, " " + cells_of(lines[row])[static_cast<std::size_t>(time)]));
      }
    }
  }
  CHECK(shown >= 20);
}

TEST_CASE("the rules of lessons 1 and 2 give the stages of every stride", "[release]") {
  const Playground playground;
  const std::string sweep =
      "memlane sweep strided -D n=64 -D s=1..64 -m dmm-teaching -m umm-teaching -m dmm-w32 -m "
      "umm-w32 --store strides.db";
  REQUIRE(playground.run(sweep).status == 0);
  const Outcome rows = playground.run("memlane results strides.db --format csv --columns "
                                      "s,machine_width,shared_requests,shared_stages,"
                                      "global_requests,global_stages");
  const std::vector<std::string> lines = lines_of(rows.out);
  REQUIRE(lines.size() == 1 + 4 * 64);
  int banks = 0, groups = 0;
  for (std::size_t k = 1; k < lines.size(); ++k) {
    INFO(lines[k]);
    std::vector<std::int64_t> cells;
    std::istringstream in(lines[k]);
    for (std::string cell; std::getline(in, cell, ',');)
      cells.push_back(cell.empty() ? 0 : std::stoll(cell));
    cells.resize(6);
    const std::int64_t s = cells[0], w = cells[1];
    if (cells[2] > 0) {
      ++banks;
      CHECK(cells[3] == std::gcd(s, w) * cells[2]);
    } else {
      ++groups;
      REQUIRE(cells[4] > 0);
      CHECK(cells[5] == std::min(s, w) * cells[4]);
    }
  }
  CHECK(banks == 2 * 64);
  CHECK(groups == 2 * 64);
  CHECK(has(playground.run("memlane demo banks").out, "gcd(s, w)"));
  CHECK(has(playground.run("memlane demo groups").out, "takes min(s, w) stages"));
}

TEST_CASE("printed commands work where memlane was started", "[release]") {
  const Playground playground;
  const std::string typed = "build/release/memlane ";
  int commands = 0;
  for (const char* words : {"run transpose -m hmm-teaching -D n=16 --layout t=rows --explain",
                            "grade 02_zip", "demo banks", "help bank"}) {
    const std::string out = playground.run(typed + words).out;
    INFO(out);
    CHECK_FALSE(has(out, " memlane "));
    int found = 0;
    for (const std::string& line : lines_of(out)) {
      if (!line.starts_with("  ")) continue;
      const std::string command = line.substr(line.find_first_not_of(' '));
      if (!command.starts_with(typed)) continue;
      ++found;
      INFO(command);
      CHECK(playground.run(command).status == 0);
    }
    CHECK(found > 0);
    commands += found;
  }
  CHECK(commands >= 8);
  const Outcome slip = playground.run(typed + "demo 15");
  CHECK(has(slip.err, "'build/release/memlane demo' lists them"));
  CHECK(has(playground.run(typed + "rum").err, "'build/release/memlane help' lists the commands"));
  // Results for other programs do not depend on it.
  const std::string json = "run sum -D n=64 -m umm-w32 --explain --format json";
  const auto suggested = [&](const std::string& program) {
    return nlohmann::json::parse(playground.run(program + json).out).at("explanation").dump();
  };
  CHECK(suggested(typed) == suggested("memlane "));
}

TEST_CASE("a lesson asks for a guess, and says whether it is right", "[release]") {
  const Playground playground;
  const std::string right = in_terminal(playground, "demo banks --step", "1\n");
  CHECK(has(right, "\nRight. The addresses 0, 3, 6, 9 lie in banks 0, 3, 2, 1"));
  CHECK(right.find("Right.") < right.find("\nAnswer: 1."));
  const std::string wrong = in_terminal(playground, "demo 1 --step", "9\nx\n3\n2\n");
  CHECK(has(wrong, "'9' is none of them."));
  CHECK(has(wrong, "'x' is none of them."));
  CHECK(has(wrong, "\nNo. The stride is not the number of stages"));
  CHECK(has(wrong, "\nYour second guess, 1 to 4 "));
  CHECK(has(wrong, "\nNo. Two words would have to share a bank."));
  CHECK(wrong.find("\nAnswer: 1.") > wrong.find("\nNo. Two words"));
  for (const std::string& line : lines_of(wrong))
    CHECK((display_width(line) <= 80 || has(line, "memlane "))); // commands stay whole
  const std::string second = in_terminal(playground, "demo 1 --step", "3\n1\n");
  CHECK(second.find("\nNo. ") < second.find("\nRight. "));
  CHECK(has(second, "\nAnswer: 1."));
  const std::string none = in_terminal(playground, "demo 1 --step", "\n");
  CHECK(!has(none, "Right."));
  CHECK(has(none, "\nAnswer: 1."));
  for (const char* end : {"q\n", "\x04", "\x03"}) {
    const std::string stopped = in_terminal(playground, "demo 1 --step", end);
    CHECK(!has(stopped, "\nAnswer: "));
    CHECK(!has(slurp(playground.folder() + "/errors.txt"), "error"));
  }
}

TEST_CASE("all lessons follow one another in a terminal", "[release]") {
  const Playground playground;
  const std::string shown = in_terminal(playground, "demo --all --step", "1\n\n3\n\n\nq\n");
  CHECK(has(shown, "Lesson 1: "));
  CHECK(has(shown, "Lesson 2: "));
  CHECK(has(shown, "Lesson 3: "));
  CHECK(!has(shown, "Lesson 4: "));
}

TEST_CASE("mistakes in lessons are told at their places", "[release]") {
  const Playground playground;
  const nlohmann::json good = nlohmann::json::parse(
      slurp(std::string(MEMLANE_SOURCE_DIR) + "/configs/lessons/01-banks.json"));
  const auto told = [&](const nlohmann::json& lesson) {
    spit(playground.folder() + "/own.json", lesson.dump(1));
    const Outcome outcome = playground.run("memlane demo own.json");
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  spit(playground.folder() + "/own.json", good.dump(1));
  const std::string own = playground.run("memlane demo own.json").out;
  CHECK(own.rfind("Banks and conflicts\n", 0) == 0);
  CHECK(own.find("last lesson") == std::string::npos);
  nlohmann::json bad = good;
  bad["answer"] = "{nothing} is there";
  CHECK(has(told(bad), "answer[0]: the sentence names {nothing}, which the query does not give"));
  bad = good;
  bad["numbers"] = "SELECT 5 AS right, 1 AS w, 1 AS two_w, 1 AS w_1, 1 AS three, 1 AS four, 1 AS "
                   "six, 1 AS fast, 1 AS slow";
  CHECK(has(told(bad), "numbers: right is 5"));
  bad["numbers"] = "SELECT 1 AS w";
  CHECK(has(told(bad), "numbers: the query has no column right"));
  bad["numbers"] = "SELECT s AS right FROM each";
  CHECK(has(told(bad), "numbers: the query gives 8 rows, not one"));
  bad["numbers"] = "SELECT right FROM nowhere";
  CHECK(has(told(bad), "numbers: no such table: nowhere"));
  bad = good;
  bad["choices"].erase(bad["choices"].begin() + 1, bad["choices"].end());
  CHECK(has(told(bad), "choices: 1 are given, 2 to 9 are needed"));
  bad = good;
  bad["titel"] = "";
  CHECK(has(told(bad), "did you mean 'title'?"));
  bad = good;
  bad["sweeps"]["strides"]["axes"]["s"] = {0};
  CHECK(has(told(bad), "breaks its condition"));
  bad = good;
  bad["program"] = "nosuch";
  CHECK(has(told(bad), "nosuch"));
  bad = good;
  const auto shown = [](const std::string& kind, const std::string& what) {
    return nlohmann::json::array({{{"text", "See."}, {kind, what}}});
  };
  bad["pictures"] = shown("chart", "nosuch -m dmm-teaching");
  CHECK(has(told(bad), "'memlane timeline nosuch -m dmm-teaching' failed"));
  bad["pictures"] = shown("chart", "strided -m dmm-teaching -o chart.txt");
  CHECK(has(told(bad), "-o chart.txt' prints nothing"));
  bad["pictures"] = shown("memory", "strided -m dmm-teaching --layout 't=rows");
  CHECK(has(told(bad), "a ' is not closed"));
  bad["pictures"] = shown("table", "no such");
  CHECK(has(told(bad), "a picture shows the table 'no such', which is none of the lesson's"));
  bad["pictures"][0]["chart"] = "strided";
  CHECK(has(told(bad), "pictures[0]: needs one of memory, chart and table"));
  bad["pictures"] = nlohmann::json::array();
  CHECK(has(told(bad), "pictures: must be a list that is not empty"));
  bad = good;
  bad["needs"] = {"nosuch"};
  CHECK(has(told(bad), "needs: no lesson is named 'nosuch'"));
  bad = good;
  bad["minutes"] = 0;
  CHECK(has(told(bad), "minutes: must be"));
}

} // namespace memlane::test
