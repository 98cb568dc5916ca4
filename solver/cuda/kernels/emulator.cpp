// Runs one kernel over device memory that is a file, for tests:
// emulator FILE BASE BYTES BLOCKS THREADS SHARED ARGUMENTS…
#include <fcntl.h>
#include <sys/mman.h>
#include <cstdio>
#include <tuple>

// as takes an argument from the front of a list of 8-byte words.
template <class T> static T as(const unsigned long long *&words)
{
	T t;
	memcpy(&t, words, sizeof t);
	words += (sizeof t + 7) / 8;
	return t;
}
template <class... T> static void call(void (*kernel)(T...), const std::vector<unsigned long long> &a)
{
	const unsigned long long *words = a.data();
	std::apply(kernel, std::tuple<T...>{as<T>(words)...}); // braces: in order
}

int main(int n, char **text)
{
	auto number = [&](int i) { return strtoull(text[i], nullptr, 10); };
	const int file = open(text[1], O_RDWR);
	if (mmap((void *)number(2), number(3), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	const unsigned long long blocks = number(4), warps = number(5) / 32, shared = number(6);
	std::vector<unsigned long long> arguments;
	for (int i = 7; i < n; i++) arguments.push_back(number(i));
	emulated_shared = (char *)aligned_alloc(128, (shared + 127) / 128 * 128);
	for (unsigned long long b = blocks; b-- > 0;) { // blocks have no order
		memset(emulated_shared, 0x7b, shared);
		blockIdx.x = b;
		for (unsigned long long w = 0; w < warps; w++) emulation::run_warp(w, [&] { call(ENTRY, arguments); });
	}
}
