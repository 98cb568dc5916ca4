// Puts the values of a message where the next step reads them: first faces and
// then edges, a chunk a thread, then corners and what is sent to quadratic
// walls, a value each. Targets are the addresses where a face or an edge begins or
// a value belongs.
KERNEL(unpack)(const char *__restrict__ message, char *const *__restrict__ targets, unsigned faces, unsigned edges, unsigned singles)
{
	const unsigned i = blockIdx.x * WARPS * 32 + threadIdx.x, chunks = faces * (FACE / CHUNK) + edges * (EDGE / CHUNK);
	if (i < faces * (FACE / CHUNK))
		store_chunk<CHUNK>(targets[i / (FACE / CHUNK)] + i % (FACE / CHUNK) * CHUNK, message + (size_t)i * CHUNK);
	else if (i < chunks) {
		const unsigned edge = i - faces * (FACE / CHUNK);
		store_chunk<CHUNK>(targets[faces + edge / (EDGE / CHUNK)] + edge % (EDGE / CHUNK) * CHUNK, message + (size_t)i * CHUNK);
	} else if (i < chunks + singles)
		*(slot_t *)targets[faces + edges + i - chunks] = ((const slot_t *)(message + (size_t)chunks * CHUNK))[i - chunks];
}
