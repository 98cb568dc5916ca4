// Puts the chunks of a message where the next step reads them: first the faces,
// 16 chunks each, then single chunks of edges. Places are the addresses of a
// face's first chunk or of an edge's chunk.
KERNEL(unpack)(const char *__restrict__ message, char *const *__restrict__ places, unsigned faces, unsigned edges)
{
	const unsigned i = blockIdx.x * WARPS * 32 + threadIdx.x;
	if (i >= 16 * faces + edges) return;
	char *const to = i < 16 * faces ? places[i >> 4] + (i & 15) * CHUNK : places[i - 15 * faces];
	store_chunk<CHUNK>(to, message + (size_t)i * CHUNK);
}
