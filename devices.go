package carina

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"carina/balance"
	"carina/geometry"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/internal/run"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda/device"
)

// gpusAndCores is the device that stands for all GPUs of a machine and its cores beside them.
const gpusAndCores Device = "gpu+cpu"

// DefaultRanks is how many ranks share the work where nobody says: one for each device that
// the case names.
func (c *PartitionCase) DefaultRanks() int { return len(c.named()) }

// checkDevices refuses what is no device, and names without sense.
func (c *PartitionCase) checkDevices() error {
	if c.Device != gpusAndCores {
		for _, d := range c.named() {
			if err := d.Check(); err != nil {
				return err
			}
		}
	}
	if c.GPUMemory == "" {
		return nil
	}
	if !c.mayUse(GPU) {
		return fmt.Errorf("a memory of GPUs of %s is for GPUs: leave it out, or compute with device gpu", c.GPUMemory)
	}
	_, err := quantity.Bytes.ParsePositive(c.GPUMemory)
	return err
}

// gpuMemory is how much a rank may take of its GPU, 0 for all that is free.
func (c *PartitionCase) gpuMemory() int64 {
	if c.GPUMemory == "" {
		return 0
	}
	bytes, _ := quantity.Bytes.ParsePositive(c.GPUMemory) // checked before
	return int64(bytes)
}

// devicesOn are what the ranks of a partition compute on.
func (c *PartitionCase) devicesOn(p *balance.Partition) ([]Device, error) {
	if c.Device != gpusAndCores {
		return c.Devices(len(p.Ranks))
	}
	list := make([]Device, len(p.Ranks))
	for i, rank := range p.Ranks {
		if list[i] = Device(rank.Device); list[i].Check() != nil {
			return nil, fmt.Errorf("the partition does not say what rank %d computes on: partition with --device %s, too, or name a device for each rank", i, gpusAndCores)
		}
	}
	return list, nil
}

// machineOf is what sharing must know of a machine.
type machineOf struct {
	gpus, cores int
	// free is the memory of a GPU that nobody uses, 0 where it is not known; memory that of
	// cores.
	free   func(number int) int64
	memory int64
	// byGPU and byCores are the bandwidths, in bytes a second, with which a GPU and so many
	// cores copy in the host's memory.
	byGPU   func(number int) float64
	byCores func(cores int) float64
}

// thisMachine is that of the process.
func thisMachine() machineOf {
	m := machineOf{cores: runtime.GOMAXPROCS(0), memory: machine.AvailableMemory(), free: func(int) int64 { return 0 }}
	if device.Start() != nil {
		return m
	}
	m.byCores = func(cores int) float64 {
		const bytes, repetitions = 64 << 20, 3
		return machine.NewCopier(cores, bytes).Bandwidth(repetitions)
	}
	m.byGPU = func(number int) float64 {
		speed, err := device.HostBandwidth(number)
		if err != nil {
			return 0 // such a GPU does without
		}
		return speed
	}
	m.gpus, m.free = device.Count(), func(number int) int64 {
		d, err := device.Open(number)
		if err != nil {
			return 0
		}
		free, _, err := d.Memory()
		if err != nil || d.Close() != nil {
			return 0
		}
		return free
	}
	return m
}

// shareDevices gives ranks on unlike devices shares of the cells by what they update in a
// second, as far as their memory holds them. Cores that cannot pay beside all GPUs have no
// rank. GPUs alone that a machine file tells apart have shares by their rates.
func (c *Case) shareDevices(g *geometry.Grid, o *balance.Options, m machineOf) error {
	names := c.named()
	if c.Device == gpusAndCores {
		if m.gpus == 0 {
			return fmt.Errorf("this machine has no GPU that this binary can use: compute with --device cpu, or see carina doctor")
		}
		names = nil
		for i := range m.gpus {
			names = append(names, Device(fmt.Sprintf("%s:%d", GPU, i)))
		}
		names = append(names, Device(fmt.Sprintf("%s:%d", CPU, max(1, m.cores-m.gpus))))
	}
	if !run.On(names, GPU) || !run.On(names, CPU) {
		return c.shareAlike(names, o)
	}
	if c.Device != gpusAndCores && o.Ranks != len(names) {
		return nil // is refused where the flow is opened
	}
	workers, err := c.workers(g, names, m)
	if err != nil {
		return err
	}
	kinds, err := c.kinds()
	if err != nil {
		return err
	}
	for i := range workers {
		if rate := rateOf(kinds, names[i], workers[i].Number); rate > 0 {
			workers[i].Rate = rate
		}
	}
	for i, speed := range c.Speeds {
		if len(c.Speeds) == len(workers) {
			workers[i].Rate = speed
		}
	}
	each, why, err := balance.Share(workers, g.Cells())
	if err != nil {
		return err
	}
	o.Speeds, o.Devices, o.Unused = nil, nil, why
	for i, cells := range each {
		if cells == 0 {
			continue
		}
		if w := &workers[i]; w.Beyond > 0 && cells > w.Cells {
			names[i] = names[i].WithHost()
		}
		o.Speeds, o.Devices = append(o.Speeds, float64(cells)), append(o.Devices, string(names[i]))
	}
	o.Ranks = len(o.Speeds)
	return nil
}

// kinds is the machine file, one without kinds where there is none.
func (c *Case) kinds() (*balance.Machine, error) {
	if c.Machine == "" {
		return &balance.Machine{}, nil
	}
	return balance.ReadMachine(c.Machine)
}

// rateOf is how many cells a device updates in a second by a machine file: the GPU of a
// number, or so many cores; 0 where it does not say.
func rateOf(m *balance.Machine, d Device, n int) float64 {
	if d.Kind() == GPU {
		return m.GPURate(n)
	}
	return m.CoresRate(n)
}

// shareAlike gives ranks that all have GPUs, or all cores, the speeds that a machine file
// says of each, where nobody gives them speeds.
func (c *Case) shareAlike(names []Device, o *balance.Options) error {
	if len(names) != o.Ranks || len(c.Speeds) > 0 {
		return nil
	}
	kinds, err := c.kinds()
	if err != nil {
		return err
	}
	speeds := make([]float64, len(names))
	for i, d := range names {
		n, given := d.Number()
		if !given && d.Kind() == GPU {
			n = i
		}
		if speeds[i] = rateOf(kinds, d, n); speeds[i] == 0 || !given && d.Kind() == CPU {
			return nil // how many cores that are is not known before
		}
	}
	o.Speeds = speeds
	return nil
}

// What cores and a GPU update in a second in single precision, as assumed: cores until their
// memory is busy.
const (
	coreRate, coresRate, gpuRate = 125e6, 600e6, 26e9
	// margin of memory is left to partitions, which are no more exact.
	memoryMargin = 0.95
)

// workers are what computes, as balance.Share has it.
func (c *Case) workers(g *geometry.Grid, names []Device, m machineOf) (list []balance.Worker, err error) {
	settings, err := c.Settings()
	if err != nil {
		return nil, err
	}
	all, err := gpu.MemoryEstimate(g, settings, gpu.Storage(c.Storage))
	if err != nil {
		return nil, err
	}
	holds := func(bytes, of int64) int64 {
		if bytes == 0 {
			return 0
		}
		return max(1, int64(memoryMargin*float64(bytes)/float64(of)*float64(g.Cells())))
	}
	next, gpus, held := 0, []int(nil), int64(0)
	for _, d := range names {
		n, given := d.Number()
		switch d.Kind() {
		case GPU:
			if !given {
				n = next
			}
			next++
			free := m.free(n)
			if most := c.gpuMemory(); most > 0 && (free == 0 || most < free) {
				free = most
			}
			list = append(list, balance.Worker{Name: fmt.Sprintf("GPU %d", n), Number: n, Rate: gpuRate, Cells: holds(free, all)})
			gpus, held = append(gpus, n), held+list[len(list)-1].Cells
		default:
			if !given {
				n = max(1, m.cores-1)
			}
			list = append(list, balance.Worker{Name: quantity.Count(n, "core"), Number: n, Rate: 1 / (1/(coreRate*float64(n)) + 1/coresRate),
				Cells: holds(m.memory, airflow.MemoryEstimate(g.Cells(), settings)), Helps: c.Device == gpusAndCores})
		}
	}
	if c.Device == gpusAndCores && held > 0 && held < g.Cells() {
		m.measureHost(list, gpus, 2*float64(all)/float64(g.Cells()), settings.Precision) // read and written
	}
	return list, nil
}

// Parts of the bandwidth of a copy in the host's memory that steps of a GPU reach there, as
// measured on an H200 (benchmarks/results/hybrid.md): short accesses cross the bus badly.
const (
	reachedInHost       = 0.79
	reachedInHostDouble = 0.28
)

// measureHost takes the rates of what lies in the host's memory, with so many bytes a cell and
// step, from its bandwidth: by GPUs, which are the first workers, and by cores behind them.
func (m *machineOf) measureHost(list []balance.Worker, gpus []int, bytes float64, precision airflow.Precision) {
	reached := reachedInHost
	if precision == airflow.Double {
		reached = reachedInHostDouble
	}
	for i := range list {
		w := &list[i]
		if i < len(gpus) {
			w.Beyond = reached * m.byGPU(gpus[i]) / bytes
			continue
		}
		cores := max(1, m.cores-len(gpus))
		if speed := m.byCores(cores) / bytes; speed > 0 {
			w.Rate = 1 / (1/(coreRate*float64(cores)) + 1/speed)
		}
	}
}

// named are the devices that the case names, one for all ranks or each.
func (c *PartitionCase) named() (list []Device) {
	switch c.Device {
	case "":
		return []Device{CPU}
	case gpusAndCores:
		return []Device{GPU, CPU}
	}
	for name := range strings.SplitSeq(string(c.Device), ",") {
		list = append(list, Device(name))
	}
	return list
}

// mayUse tells whether the case names a device of a kind.
func (c *PartitionCase) mayUse(kind Device) bool { return run.On(c.named(), kind) }

// Devices are what so many ranks compute on.
func (c *PartitionCase) Devices(ranks int) ([]Device, error) {
	names := c.named()
	if len(names) > 1 && len(names) != ranks {
		return nil, fmt.Errorf("%s are named for %s: name one for all ranks, or one for each", quantity.Count(len(names), "device"), quantity.Count(ranks, "rank"))
	}
	if len(names) == 1 {
		names = slices.Repeat(names, ranks)
	}
	return names, nil
}
