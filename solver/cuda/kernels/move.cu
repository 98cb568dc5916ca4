// Copies values between arrays, messages and memory of other GPUs. A move is values of
// so many bytes in a row or, from an index of places on, at these; a warp does one.
struct Move {
	const char *from;
	char *to;
	unsigned bytes, count;
	int from_at, to_at; // −1: in a row
};
DEVICE void copy_value(char *to, const char *from, unsigned bytes)
{
	if (((size_t)to | (size_t)from) & (bytes - 1))
		for (unsigned i = 0; i < bytes; i++) to[i] = from[i];
	else if (bytes == 8)
		*(unsigned long long *)to = *(const unsigned long long *)from;
	else if (bytes == 4)
		*(unsigned *)to = *(const unsigned *)from;
	else if (bytes == 2)
		*(unsigned short *)to = *(const unsigned short *)from;
	else
		*to = *from;
}
KERNEL(move)(const Move *moves, const int *places, unsigned count)
{
	const unsigned i = blockIdx.x * WARPS + threadIdx.x / 32;
	if (i >= count) return;
	const Move m = moves[i];
	for (unsigned k = threadIdx.x % 32; k < m.count; k += 32)
		copy_value(m.to + (size_t)(m.to_at < 0 ? (int)k : places[m.to_at + k]) * m.bytes,
		           m.from + (size_t)(m.from_at < 0 ? (int)k : places[m.from_at + k]) * m.bytes, m.bytes);
}
