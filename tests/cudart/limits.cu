// Kernels that do not end, and programs that do things to the files of memlane's they can find.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

__global__ void add(int* x) { x[threadIdx.x] += 1; }
__global__ void for_ever() {
  while (clock64() >= 0) {
  }
}

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  int* x = nullptr;
  cudaMalloc(&x, 32 * sizeof(int));
  add<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  const char* const found = std::getenv("MEMLANE_CUDA_REPORT");
  const std::string report = found ? found : "";
  const std::string folder = report.substr(0, report.rfind('/'));
  if (what == "exit") {
    std::thread([] {
      usleep(100000);
      std::exit(4);
    }).detach();
  }
  if (what == "ever" || what == "exit") for_ever<<<1, 32>>>();
  if (what == "remove") std::system(("rm -r " + folder).c_str());
  if (what == "pipe") {
    for (const char* const name : {"/report.jsonl", "/result.table", "/result.table.new"}) {
      unlink((folder + name).c_str());
      mkfifo((folder + name).c_str(), 0600);
    }
  }
  if (what == "link") {
    unlink(report.c_str());
    symlink("/dev/zero", report.c_str());
  }
  if (what == "large") truncate(report.c_str(), off_t{1} << 40);
  if (what == "nested" || what == "other") {
    std::FILE* const file = std::fopen(report.c_str(), what == "other" ? "w" : "a");
    for (int k = 0; k < 20000000; ++k) std::fputc('[', file);
    std::fputc('\n', file);
    std::fclose(file);
    _exit(0);
  }
  if (what == "numbers") {
    std::FILE* const file = std::fopen(report.c_str(), "a");
    for (int k = 0; k < 3; ++k)
      std::fputs("{\"launch\":1,\"kernel\":\"k\",\"warp_instructions\":9223372036854775807}\n",
                 file);
    std::fclose(file);
  }
  if (what == "descriptors") {
    // The library's descriptor becomes one of a file of the program's own.
    for (int k = 3; k < 64; ++k) close(k);
    const int own = open("own.txt", O_CREAT | O_TRUNC | O_RDWR, 0600);
    for (int k = 0; k < 40; ++k) dup(own);
    add<<<1, 32>>>(x);
    write(own, "own\n", 4);
  }
  add<<<1, 32>>>(x);
  std::printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::fflush(stdout);
  if (what == "quick") std::quick_exit(6);
}
