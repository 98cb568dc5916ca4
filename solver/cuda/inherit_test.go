package cuda_test

import (
	"os"
	"testing"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/enginetest"
	"carina/solver/transport"
)

// counting counts what is downloaded from a GPU.
type counting struct {
	device.Device
	bytes *int
}

func (c counting) Download(to []byte, from device.Address) error {
	*c.bytes += len(to)
	return c.Device.Download(to, from)
}

func (c counting) Sees(other device.Device) bool { return c.Device.Sees(other.(counting).Device) }

// Cells that change owner go from GPU to GPU where these reach each other, without the host
// seeing a value, and have the same bits as by messages.
func TestCellsMoveFromGPUToGPU(t *testing.T) {
	source, err := os.ReadFile("../../examples/heat/heat.cu")
	if err != nil {
		t.Fatal(err)
	}
	if !devicetest.ReachEachOther(2) {
		t.Skip("there are no two GPUs that reach each other")
	}
	g := generate.Grid([3]int32{40, 30, 1}, func(x, y, _ int32) bool { return (x+y*y)%13 > 0 })
	emulated := false
	moved := func(open func(rank int) (device.Device, error)) (hash uint64, downloaded [2]int) {
		enginetest.OnRanks(t, 2, func(tr transport.Transport) error {
			bytes := &downloaded[tr.Rank()]
			fresh := func() (*cuda.Device, error) {
				gpu, err := open(tr.Rank())
				if err != nil {
					return nil, err
				}
				if tr.Rank() == 0 {
					emulated = gpu.Name() == "emulated"
				}
				return cuda.New(counting{gpu, bytes}, tr, cuda.Host), nil
			}
			d, err := fresh()
			if err != nil {
				return err
			}
			r, err := solver.NewRank(enginetest.Scattered(g, 5, 2, 2, [3]bool{}), solver.Together{&heat{source: string(source)}}, d, tr, solver.Options{})
			if err != nil {
				return err
			}
			defer func() { r.Close() }()
			for range 3 {
				if err := r.Step(); err != nil {
					return err
				}
			}
			if d, err = fresh(); err != nil {
				return err
			}
			*bytes = 0
			next, err := r.Move(enginetest.Scattered(g, 4, 2, 9, [3]bool{}), solver.Together{&heat{source: string(source)}}, d)
			if err != nil {
				return err
			}
			r = next
			now := *bytes
			if err := r.Step(); err != nil {
				return err
			}
			h, err := r.Hash()
			if tr.Rank() == 0 {
				hash = h
			}
			*bytes = now
			return err
		})
		return hash, downloaded
	}
	want, byHost := moved(func(rank int) (device.Device, error) { return devicetest.Fresh(t, rank) })
	got, direct := moved(devicetest.Reaching(t))
	if got != want {
		t.Errorf("hash %x, by messages %x", got, want)
	}
	if direct != [2]int{} || emulated && (byHost[0] == 0 || byHost[1] == 0) {
		t.Errorf("%d bytes are downloaded, %d by messages", direct, byHost)
	}
}
