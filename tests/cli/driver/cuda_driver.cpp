// A libcuda.so.1 with the functions that 'memlane machine from-gpu' calls, and two GPUs: one whose
// machine is shipped, one that no machine knows. MEMLANE_TEST_GPUS changes how many it finds, and
// MEMLANE_TEST_LACKS the number of an attribute that it does not tell.
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace {

struct Attribute {
  int number;
  int values[2];
};
constexpr Attribute attributes[] = {
    {1, {1024, 1024}},
    {10, {32, 32}},
    {13, {1710000, 2407000}},
    {16, {68, 170}},
    {36, {9501000, 14001000}},
    {37, {320, 512}},
    {39, {1536, 1536}},
    {75, {8, 12}},
    {76, {6, 0}},
    {81, {102400, 102400}},
    {82, {65536, 65536}},
    {106, {16, 24}},
    {111, {1024, 1024}},
};
constexpr const char* names[] = {"NVIDIA GeForce RTX 3080", "NVIDIA \"X\"\n"};
constexpr std::size_t bytes[] = {std::size_t{10} << 30, std::size_t{32} << 30};

int number_in(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

int devices() { return number_in("MEMLANE_TEST_GPUS", 2); }

} // namespace

extern "C" {

int cuInit(unsigned) { return devices() < 0 ? 3 : 0; }

int cuDeviceGetCount(int* count) {
  *count = devices();
  return 0;
}

int cuDeviceGet(int* device, int number) {
  *device = number;
  return number < devices() ? 0 : 101;
}

int cuDeviceGetName(char* name, int length, int device) {
  std::strncpy(name, names[device], static_cast<std::size_t>(length));
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (attribute == number_in("MEMLANE_TEST_LACKS", 0)) return 1;
  for (const Attribute& known : attributes) {
    if (known.number != attribute) continue;
    *value = known.values[device];
    return 0;
  }
  return 1;
}

int cuDeviceTotalMem_v2(std::size_t* size, int device) {
  *size = bytes[device];
  return 0;
}

} // extern "C"
