//go:build linux

// Wire joins network namespaces, which stand for hosts, by an Ethernet of its own: it
// makes an interface in each and passes on their frames late, or not at all. For kernels
// without netem, and for losses that are the same each time.
//
//	wire -delay 1ms -jitter 0.2ms -loss 0.01 -seed 1 -cut b@3s a=10.77.0.1 b=10.77.0.2
//
// It says "ready" when all is joined, and at SIGTERM how many frames have passed. SIGUSR1
// cuts the host of -cut off at once.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"carina/internal/crash"

	"golang.org/x/sys/unix"
)

// port is the end of a host.
type port struct {
	name string
	file int
	cut  atomic.Bool
}

// frame is on its way until it is due.
type frame struct {
	due  time.Time
	data []byte
}

const (
	longest = 1 << 16 // bytes of a frame
	queued  = 1 << 16 // frames on their way from one host
	shortest,
	address = 14, 6 // bytes of an Ethernet header and of an address in it
)

// wire is all ports and what becomes of frames between them.
type wire struct {
	ports         []*port
	delay, jitter time.Duration
	loss          float64
	places        sync.Map // ports by address
	passed, lost  atomic.Int64
}

func main() {
	w := &wire{}
	flag.DurationVar(&w.delay, "delay", 0, "how late each frame arrives")
	flag.DurationVar(&w.jitter, "jitter", 0, "by how much later at most, evenly drawn")
	flag.Float64Var(&w.loss, "loss", 0, "part of the frames that is lost")
	seed := flag.Uint64("seed", 1, "of what is drawn")
	cut := flag.String("cut", "", "HOST@TIME: from then on nothing passes to and from it")
	flag.Parse()
	for _, a := range flag.Args() {
		name, address, _ := strings.Cut(a, "=")
		file, err := join(name, address)
		if err != nil {
			log.Fatalf("joining %s: %v", name, err)
		}
		w.ports = append(w.ports, &port{name: name, file: file})
	}
	now, stop := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(now, unix.SIGUSR1)
	signal.Notify(stop, os.Interrupt, unix.SIGTERM)
	host, at, _ := strings.Cut(*cut, "@")
	if after, err := time.ParseDuration(at); err == nil {
		time.AfterFunc(after, func() { w.cut(host) })
	}
	go func() {
		defer crash.Guard()
		for range now {
			w.cut(host)
		}
	}()
	for i, p := range w.ports {
		queue := make(chan frame, queued)
		go func() {
			defer crash.Guard()
			w.take(p, rand.New(rand.NewPCG(*seed, uint64(i))), queue)
		}()
		go func() {
			defer crash.Guard()
			w.give(p, queue)
		}()
	}
	fmt.Println("ready")
	<-stop
	fmt.Printf("%d frames passed, %d were lost\n", w.passed.Load(), w.lost.Load())
}

// join makes the interface of a namespace.
func join(namespace, address string) (file int, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	home, err := os.Open(fmt.Sprintf("/proc/self/task/%d/ns/net", unix.Gettid()))
	if err != nil {
		return 0, err
	}
	there, err := os.Open("/run/netns/" + namespace)
	if err != nil {
		return 0, err
	}
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		return 0, err
	}
	file, err = unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	request, err := unix.NewIfreq("eth0")
	if err != nil {
		return 0, err
	}
	request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(file, unix.TUNSETIFF, request); err != nil {
		return 0, err
	}
	if err := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); err != nil {
		return 0, err
	}
	for _, line := range []string{"link set eth0 up", "addr add " + address + "/24 dev eth0"} {
		if out, err := exec.Command("ip", append([]string{"-n", namespace}, strings.Fields(line)...)...).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("ip %s: %w: %s", line, err, out)
		}
	}
	return file, nil
}

// cut cuts a host off.
func (w *wire) cut(host string) {
	for _, p := range w.ports {
		if p.name == host {
			p.cut.Store(true)
			fmt.Printf("%s is cut off\n", host)
		}
	}
}

// take takes the frames of a host.
func (w *wire) take(p *port, random *rand.Rand, queue chan<- frame) {
	buffer := make([]byte, longest)
	for {
		n, err := unix.Read(p.file, buffer)
		if err != nil {
			return
		}
		if n < shortest {
			continue
		}
		w.places.Store([address]byte(buffer[address:2*address]), p)
		if p.cut.Load() || random.Float64() < w.loss {
			w.lost.Add(1)
			continue
		}
		late := w.delay
		if w.jitter > 0 {
			late += time.Duration(random.Int64N(int64(w.jitter)))
		}
		queue <- frame{time.Now().Add(late), append([]byte(nil), buffer[:n]...)}
	}
}

// give gives them to the others in turn, when they are due.
func (w *wire) give(p *port, queue <-chan frame) {
	for f := range queue {
		time.Sleep(time.Until(f.due))
		w.passed.Add(1)
		to, known := w.places.Load([address]byte(f.data[:address]))
		all := f.data[0]&1 == 1 || !known
		for _, q := range w.ports {
			if (all || q == to) && q != p && !q.cut.Load() {
				// What cannot be given is lost, as on any wire.
				_, _ = unix.Write(q.file, f.data)
			}
		}
	}
}
