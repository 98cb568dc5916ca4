# make demo   an airway from nothing to a picture of the flow in it
# make test   everything that can be tested on this machine
# The rest:   build, mpi, gpu, lint, race, fuzz, gpu-test, clean

GO ?= go
BIN := bin

.PHONY: build mpi gpu demo test lint race fuzz gpu-test clean

build:
	$(GO) build -o $(BIN)/carina ./cmd/carina

mpi:
	$(GO) build -tags mpi -o $(BIN)/carina-mpi ./cmd/carina

# Needs a C compiler, but neither CUDA nor a GPU; TAGS='mpi cuda' adds MPI.
TAGS ?= cuda
gpu:
	bash scripts/cuda.sh $(GO) build -tags '$(TAGS)' -o $(BIN)/carina-gpu ./cmd/carina

demo: build
	@bash scripts/demo.sh $(BIN)/carina demo

test:
	@GO="$(GO)" bash scripts/test.sh

lint:
	@GO="$(GO)" bash scripts/lint.sh

# All tests with the race detector, which makes them about ten times slower, but for those
# that only compare numbers (race.SkipArithmetic), on what is enough for that (race.Few);
# the limit is a package's. SHORT= leaves out nothing else.
SHORT ?= -short
race: export RAPID_CHECKS ?= 10
race:
	$(GO) test -race $(SHORT) -timeout 90m ./...

# Each fuzz test for a short while; FUZZTIME=10m for longer.
FUZZTIME ?= 20s
fuzz:
	@GO="$(GO)" bash scripts/fuzz.sh $(FUZZTIME)

# On a machine with a GPU, its driver and nvrtc.
gpu-test:
	bash scripts/cuda.sh $(GO) test -tags cuda -count=1 ./solver/cuda/... ./solver/scalar ./solver/finitevolume ./solver/shallow ./solver/twocopies ./solver/thermal ./solver/airflow/gpu ./benchmarks/gpu ./benchmarks/validate
	bash scripts/cuda.sh $(GO) test -tags 'mpi cuda' -count=1 -run ProcessesOnGPUs ./cmd/carina

clean:
	rm -rf $(BIN) demo
