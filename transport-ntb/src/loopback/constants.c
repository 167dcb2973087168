/* The exported constant objects. -DPERMUTED builds the second library. */
#include "sisci_api.h"

#ifdef PERMUTED
#define SCI_DEFINE(name, value, permuted) const unsigned SCI_CONST(name) = permuted;
#else
#define SCI_DEFINE(name, value, permuted) const unsigned SCI_CONST(name) = value;
#endif
SCI_CONSTANTS(SCI_DEFINE)
