"""A real model server for tests: llama.cpp's, from the package xllamacpp. Prints its port when it is ready.

Arguments: the weights and the context of its only slot, in tokens.
"""

import sys
import threading

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = int(sys.argv[2])
params.n_parallel = 1
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.endpoint_props = True
server = xllamacpp.Server(params)
print(server.listening_address.rsplit(":", 1)[1], flush=True)
threading.Event().wait()
