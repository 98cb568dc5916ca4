package gpu

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

// counted counts what is downloaded from a GPU.
type counted struct {
	devicetest.Timed // which knows the device within
	bytes            *atomic.Int64
}

func (c *counted) Download(to []byte, from device.Address) error {
	c.bytes.Add(int64(len(to)))
	return c.Timed.Download(to, from)
}

func (c *counted) Sees(other device.Device) bool { return c.Timed.Sees(&other.(*counted).Timed) }

// Cells that change owner go from GPU to GPU where these reach each other, and the host sees
// none of their populations; where they do not, records of those that leave go by messages;
// where a GPU does not hold what was and what will be, those of all are kept by the host
// meanwhile. Every other move is prepared beside the steps before. All have the bits of one GPU whose cells stay.
func TestCellsMoveFromGPUToGPU(t *testing.T) {
	devicetest.BesideOthers(t)
	const ranks, moves, short = 3, 4, 2
	for _, c := range []struct {
		name   string
		change func(*airflow.Settings)
	}{
		{"quadratic walls, a Windkessel and a share, double", func(s *airflow.Settings) {
			s.Precision, s.Wall, s.Collision = airflow.Double, airflow.Quadratic, airflow.TRT
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 1}, 3: {Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-9}}
		}},
		{"recursive, 16 bits", func(s *airflow.Settings) { s.Precision, s.Collision = airflow.Half, airflow.Recursive }},
	} {
		t.Run(c.name, func(t *testing.T) {
			devicetest.BesideOthers(t)
			if testing.Short() && c.name == "recursive, 16 bits" {
				t.Skip("compiling the kernels for the processor takes a while")
			}
			var emulated atomic.Bool
			var largest int64 // that a rank needs of its GPU
			var domains []*solver.Domain
			for side := range int32(moves + 1) {
				d := bricked(t, 6, ranks, 5+side)
				if side == 1 { // the last rank is left without cells
					for i := range d.Owners {
						d.Owners[i] %= 2
					}
				}
				domains = append(domains, d)
			}
			settings := caveSettings(domains[0].Grid)
			c.change(&settings)
			// goes computes a flow whose cells have the owners of domains, one after the
			// other, and returns what is known in the end and downloaded in moves.
			goes := func(open func(rank int) (device.Device, error), most int64, domains []*solver.Domain) (hash uint64, mean *airflow.Fields, bytes int64) {
				var downloaded atomic.Int64
				b := BackendOn(func(tr transport.Transport) (device.Device, error) {
					d, err := open(tr.Rank())
					if err == nil && d.Name() == "emulated" {
						emulated.Store(true)
					}
					return &counted{devicetest.Timed{Device: d, Takes: func(int) float64 { return 0 }}, &downloaded}, err
				}, Options{Memory: most})
				onBackends(t, domains[0], settings, func(int) airflow.Backend { return b }, func(r *airflow.Rank) error {
					for k := range moves + 1 {
						// Quadratic walls put off a part of a step to the next until a check.
						if _, err := r.Engine().Check(context.Background()); err != nil {
							return err
						}
						if err := r.Move(domains[k%len(domains)]); err != nil {
							return err
						}
						if k%2 == 0 {
							r.Prepare(domains[(k+1)%len(domains)])
						}
						for range 3 {
							if err := r.Engine().Step(); err != nil {
								return err
							}
						}
						if k > 0 {
							continue
						}
						// Before this nothing moves; below, moves alone download much.
						if err := transport.Agree(r.Engine().Transport(), nil); err != nil {
							return err
						}
						downloaded.Store(0)
						if err := transport.Agree(r.Engine().Transport(), nil); err != nil {
							return err
						}
					}
					if err := transport.Agree(r.Engine().Transport(), nil); err != nil {
						return err
					}
					use, _ := MemoryOf(r)
					cells, err := r.Engine().Capacity()
					if own := int64(r.Engine().Layout().Fluid); err != nil || cells < own || most > 0 && cells > max(own, own*most/use.Needs) {
						t.Errorf("rank %d, which has %d cells, holds %d at most; %v", r.Number(), own, cells, err)
					}
					needs := []int64{use.Needs}
					if err := r.Engine().Transport().Reduce(transport.Max, needs); err != nil {
						return err
					}
					if r.Number() == 0 {
						bytes, largest = downloaded.Load(), max(largest, needs[0])
					}
					h, err := r.Hash()
					if err != nil {
						return err
					}
					own, err := r.Fields()
					if err != nil {
						return err
					}
					all, err := r.GatherFields(own)
					if r.Number() == 0 {
						hash, mean = h, all
					}
					return err
				})
				return hash, mean, bytes
			}
			var own [ranks]func(rank int) (device.Device, error)
			for rank := range own {
				own[rank] = devicetest.Reaching(t)
			}
			apart := func(rank int) (device.Device, error) { return own[rank](rank) }
			reaching := devicetest.Reaching(t)
			want, fields, _ := goes(apart, 0, []*solver.Domain{solver.WholeDomain(domains[0].Grid)})
			largest = 0
			var bytes [3]int64
			for i, open := range []func(rank int) (device.Device, error){apart, reaching, reaching} {
				most := int64(0)
				if i == short {
					most = largest * 3 / 2
				}
				hash, all, n := goes(open, most, domains)
				if hash != want || !reflect.DeepEqual(all, fields) {
					t.Errorf("way %d: the hash is %016x, that of cells that stay %016x; or their fields differ", i, hash, want)
				}
				bytes[i] = n
			}
			if emulated.Load() && (8*bytes[1] > bytes[0] || bytes[short] < 5*bytes[0]/4) {
				t.Errorf("%d bytes are downloaded where GPUs reach each other, %d elsewhere, %d where memory is short", bytes[1], bytes[0], bytes[short])
			}
		})
	}
}

// compiling notes which kernels are prepared or compiled, and which of those of a move only
// then.
type compiling struct {
	device.Device
	*compiled
}

type compiled struct {
	lock   sync.Mutex
	known  map[device.Source]bool
	moving bool
	late   []string
}

func (c *compiling) Prepare(s device.Source) error {
	time.Sleep(20 * time.Millisecond)
	c.lock.Lock()
	defer c.lock.Unlock()
	c.known[s] = true
	return nil
}

func (c *compiling) Compile(s device.Source) (device.Kernel, error) {
	c.lock.Lock()
	if c.moving && !c.known[s] {
		c.late = append(c.late, s.Name)
	}
	c.known[s] = true
	c.lock.Unlock()
	return c.Device.Compile(s)
}

func (c *compiling) Sees(other device.Device) bool { return c.Device.Sees(other.(*compiling).Device) }

// A move has been prepared when its kernels are, so that none is compiled between steps: also
// where a rank had no border, or no opening beside it.
func TestPreparedMovesHaveTheirKernels(t *testing.T) {
	devicetest.BesideOthers(t)
	alone, ends := slabs(t, tube(), 4), slabs(t, tube(), 4)
	alone.Ranks, alone.Owners, ends.Ranks, ends.Owners = 2, []int32{0, 0, 0, 0}, 2, []int32{0, 1, 1, 1}
	settings := caveSettings(alone.Grid)
	if len(alone.Grid.Openings) < 2 {
		t.Fatal("the tube is not open at both ends")
	}
	settings.Conditions = map[int]opening.Condition{1: {Kind: opening.FlowShare, Share: 1}}
	all := &compiled{known: map[device.Source]bool{}}
	open := devicetest.Reaching(t)
	b := BackendOn(func(tr transport.Transport) (device.Device, error) {
		d, err := open(tr.Rank())
		return &compiling{d, all}, err
	}, Options{})
	onBackends(t, alone, settings, func(int) airflow.Backend { return b }, func(r *airflow.Rank) error {
		<-r.Prepare(ends)
		if err := transport.Agree(r.Engine().Transport(), nil); err != nil {
			return err
		}
		all.lock.Lock()
		all.moving = true
		all.lock.Unlock()
		return r.Move(ends)
	})
	if len(all.late) > 0 {
		t.Errorf("only the move compiles %q", all.late)
	}
}
