// Runs one kernel in the memory of this process, for tests.

// as takes an argument from the front of a list of 8-byte words.
template <class T> static T as(const unsigned long long *&words)
{
	T t;
	memcpy(&t, words, sizeof t);
	words += (sizeof t + 7) / 8;
	return t;
}
// Call calls a kernel; its own arguments are in braces, hence in order.
struct Call {
	template <class... T> Call(void (*kernel)(T...), T... t) { kernel(t...); }
};
static const unsigned long long *arguments;
template <class... T> static void call(void (*kernel)(T...))
{
	const unsigned long long *words = arguments;
	Call{kernel, as<T>(words)...};
}

// run does a launch; one at a time.
extern "C" void run(unsigned blocks, unsigned threads, unsigned shared, const unsigned long long *words)
{
	static bool prepared;
	if (!prepared) emulation::prepare();
	prepared = true;
	arguments = words;
	emulated_shared = (char *)__builtin_aligned_alloc(128, (shared + 127) / 128 * 128);
	for (unsigned b = blocks; b-- > 0;) { // blocks have no order
		memset(emulated_shared, 0x7b, shared);
		blockIdx.x = b;
		for (unsigned w = 0; w < threads / 32; w++) emulation::run_warp(w, [] { call(ENTRY); });
	}
	__builtin_free(emulated_shared);
}
