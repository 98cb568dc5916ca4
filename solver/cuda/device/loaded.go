package device

import (
	"sync"

	"carina/solver/cuda/driver"
)

// once is what is made when it is first asked for, by its name; who asks for what is being
// made waits for it. What fails is tried again.
type once[K comparable, V any] struct {
	sync.Mutex
	made map[K]func() (V, error)
}

func (o *once[K, V]) get(key K, make func() (V, error)) (V, error) {
	o.Lock()
	get := o.made[key]
	if get == nil {
		get = sync.OnceValues(make)
		o.made[key] = get
	}
	o.Unlock()
	v, err := get()
	if err != nil {
		o.forget(func(k K) bool { return k == key })
	}
	return v, err
}

// forget forgets some of what was made.
func (o *once[K, V]) forget(some func(K) bool) {
	o.Lock()
	defer o.Unlock()
	for k := range o.made {
		if some(k) {
			delete(o.made, k)
		}
	}
}

// compiledFor is a program compiled for an architecture, loadedOn one on a GPU.
type (
	compiledFor struct {
		architecture string
		source       Source
	}
	loadedOn struct {
		gpu    int
		source Source
	}
)

// What this process has compiled, and loaded while somebody has the GPU open: those who
// open it after others have kernels at once, such as a rank whose cells change owner.
var (
	images  = once[compiledFor, []byte]{made: map[compiledFor]func() ([]byte, error){}}
	kernels = once[loadedOn, driver.Kernel]{made: map[loadedOn]func() (driver.Kernel, error){}}
	opened  = struct {
		sync.Mutex
		times map[int]int
	}{times: map[int]int{}}
)

// noteOpened and noteClosed count who has a GPU open.
func noteOpened(gpu int) {
	opened.Lock()
	defer opened.Unlock()
	opened.times[gpu]++
}

func noteClosed(gpu int) {
	opened.Lock()
	defer opened.Unlock()
	if opened.times[gpu]--; opened.times[gpu] == 0 {
		kernels.forget(func(k loadedOn) bool { return k.gpu == gpu })
	}
}
