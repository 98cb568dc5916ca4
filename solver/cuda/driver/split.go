//go:build cuda

package driver

/*
#include "cuda.h"

// Of memory in one range of addresses: so many bytes of the device, so many of the host.
typedef struct {
	size_t device, host;
} split_size;

// The attribute of a device that is the number of the host's memory nearest to it; version
// 12.2 of CUDA and later know it.
enum { HOST_NUMA_ID = 134 };

static CUmemAllocationProp split_place(CUmemLocationType type, int id)
{
	CUmemAllocationProp p = {0};
	p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	p.location.type = type;
	p.location.id = id;
	return p;
}

// split_map maps new memory of a place.
static int split_map(CUdeviceptr to, size_t n, const CUmemAllocationProp *place)
{
	CUmemGenericAllocationHandle memory;
	CUresult r = cuMemCreate(&memory, n, place, 0);
	if (r) return r;
	r = cuMemMap(to, n, 0, memory, 0);
	const CUresult released = cuMemRelease(memory); // what is mapped stays
	return r ? r : released;
}

static int split_free(uintptr_t context, CUdeviceptr a, split_size n)
{
	CUresult r = cuCtxSetCurrent((CUcontext)context);
	if (!r && n.device) r = cuMemUnmap(a, n.device);
	if (!r && n.host) r = cuMemUnmap(a + n.device, n.host);
	return r ? r : cuMemAddressFree(a, n.device + n.host);
}

// split_allocate rounds both sizes up to what can be mapped.
static int split_allocate(uintptr_t context, CUdevice device, CUdeviceptr *to, split_size *n)
{
	CUresult r = cuCtxSetCurrent((CUcontext)context);
	if (r) return r;
	int node = 0;
	if ((r = cuDeviceGetAttribute(&node, (CUdevice_attribute)HOST_NUMA_ID, device))) return r;
	const CUmemAllocationProp places[2] = {split_place(CU_MEM_LOCATION_TYPE_DEVICE, device), split_place(CU_MEM_LOCATION_TYPE_HOST_NUMA, node < 0 ? 0 : node)};
	size_t *sizes[2] = {&n->device, &n->host};
	for (int i = 0; i < 2; i++) {
		size_t unit = 0;
		if ((r = cuMemGetAllocationGranularity(&unit, &places[i], CU_MEM_ALLOC_GRANULARITY_MINIMUM))) return r;
		*sizes[i] = (*sizes[i] + unit - 1) / unit * unit;
	}
	if ((r = cuMemAddressReserve(to, n->device + n->host, 0, 0, 0))) return r;
	split_size mapped = {0, 0};
	if (n->device && !(r = split_map(*to, n->device, &places[0]))) mapped.device = n->device;
	if (!r && n->host && !(r = split_map(*to + n->device, n->host, &places[1]))) mapped.host = n->host;
	CUmemAccessDesc access = {places[0].location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	if (!r) r = cuMemSetAccess(*to, n->device + n->host, &access, 1);
	if (!r) return r;
	if (mapped.device) cuMemUnmap(*to, mapped.device);
	if (mapped.host) cuMemUnmap(*to + n->device, mapped.host);
	cuMemAddressFree(*to, n->device + n->host);
	return r;
}
*/
import "C"

import "fmt"

// splitSize is how much of memory is the device's and the host's.
type splitSize = C.split_size

func (g *gpu) AllocateSplit(bytes, onDevice int64) (Address, error) {
	onDevice = max(0, min(bytes, onDevice))
	size := splitSize{device: C.size_t(onDevice), host: C.size_t(bytes - onDevice)}
	var a C.CUdeviceptr
	doing := fmt.Sprintf("allocating %d bytes of the device and %d of the host", onDevice, bytes-onDevice)
	if err := failure(doing, int(C.split_allocate(g.c(), C.CUdevice(g.number), &a, &size))); err != nil {
		return 0, err
	}
	g.splitting.Lock()
	defer g.splitting.Unlock()
	g.split[Address(a)] = size
	return Address(a), nil
}

// takeSplit forgets memory that is split; ok tells whether it is.
func (g *gpu) takeSplit(a Address) (size splitSize, ok bool) {
	g.splitting.Lock()
	defer g.splitting.Unlock()
	size, ok = g.split[a]
	delete(g.split, a)
	return size, ok
}

func (g *gpu) freeSplit(a Address, size splitSize) error {
	return failure("freeing memory", int(C.split_free(g.c(), C.CUdeviceptr(a), size)))
}
