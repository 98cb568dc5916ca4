// Counts the values of an array that are no finite numbers.
KERNEL(count_unfit)(const char *array, unsigned bytes, unsigned count, unsigned long long *found)
{
	const unsigned i = blockIdx.x * WARPS * 32 + threadIdx.x;
	if (i >= count) return;
	bool bad = false;
	if (bytes == 8)
		bad = (((const unsigned long long *)array)[i] >> 52 & 0x7ff) == 0x7ff;
	else if (bytes == 4)
		bad = (((const unsigned *)array)[i] >> 23 & 0xff) == 0xff;
	else if (bytes == 2)
		bad = (((const unsigned short *)array)[i] >> 10 & 0x1f) == 0x1f;
	if (bad) atomic_add(found, 1);
}
