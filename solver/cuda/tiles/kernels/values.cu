// Copies single values between a list and where they lie in memory: to the list,
// or with MODE 1 from it. A value a thread.
KERNEL(values)(slot_t *list, slot_t *const *__restrict__ addresses, unsigned count)
{
	const unsigned i = blockIdx.x * WARPS * 32 + threadIdx.x;
	if (i >= count) return;
#if MODE == 1
	*addresses[i] = list[i];
#else
	list[i] = *addresses[i];
#endif
}
