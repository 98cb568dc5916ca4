package gpu

import (
	"context"
	"reflect"
	"sync/atomic"
	"testing"

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
// none of their populations; where they do not, records of those that leave go by messages.
// Both have the bits and the means of one GPU whose cells stay.
func TestCellsMoveFromGPUToGPU(t *testing.T) {
	devicetest.BesideOthers(t)
	const ranks, moves = 3, 4
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
			var domains []*solver.Domain
			for side := range int32(moves + 1) {
				domains = append(domains, bricked(t, 6, ranks, 5+side))
			}
			settings := caveSettings(domains[0].Grid)
			c.change(&settings)
			// goes computes a flow whose cells have the owners of domains, one after the
			// other, and returns what is known in the end and downloaded in moves.
			goes := func(open func(rank int) (device.Device, error), domains []*solver.Domain) (hash uint64, mean *airflow.Fields, bytes int64) {
				var downloaded atomic.Int64
				b := BackendOn(func(tr transport.Transport) (device.Device, error) {
					d, err := open(tr.Rank())
					if err == nil && d.Name() == "emulated" {
						emulated.Store(true)
					}
					return &counted{devicetest.Timed{Device: d, Takes: func(int) float64 { return 0 }}, &downloaded}, err
				}, Options{})
				onBackends(t, domains[0], settings, func(int) airflow.Backend { return b }, func(r *airflow.Rank) error {
					for k := range moves + 1 {
						// Quadratic walls put off a part of a step to the next until a check.
						if _, err := r.Engine().Check(context.Background()); err != nil {
							return err
						}
						if err := r.Move(domains[k%len(domains)]); err != nil {
							return err
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
					if r.Number() == 0 {
						bytes = downloaded.Load()
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
			apart := func(rank int) (device.Device, error) { return devicetest.Fresh(t, rank) }
			want, fields, _ := goes(apart, []*solver.Domain{solver.WholeDomain(domains[0].Grid)})
			var bytes [2]int64
			for i, open := range []func(rank int) (device.Device, error){apart, devicetest.Reaching(t)} {
				hash, all, n := goes(open, domains)
				if hash != want || !reflect.DeepEqual(all, fields) {
					t.Errorf("way %d: the hash is %016x, that of cells that stay %016x; or their fields differ", i, hash, want)
				}
				bytes[i] = n
			}
			if emulated.Load() && 20*bytes[1] > bytes[0] {
				t.Errorf("%d bytes are downloaded where GPUs reach each other, %d elsewhere", bytes[1], bytes[0])
			}
		})
	}
}
