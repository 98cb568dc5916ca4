// forward_driver finds the functions of the driver and starts it. It returns the
// name of the library where there is none; otherwise failure is what starting
// it returned.
const char *forward_driver(int *failure);

// forward_compiler finds the functions of the run-time compiler. It returns the
// name of the library where there is none.
const char *forward_compiler(void);
