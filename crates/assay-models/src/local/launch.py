"""Serves weights with the package xllamacpp. The settings are the first argument, as JSON; the key is in the environment."""

import json
import os
import sys
import threading

settings = json.loads(sys.argv[1])
key = os.environ.pop("ASSAY_SERVER_KEY")

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = settings["model"]
params.port = settings["port"]
params.api_keys = [key]
params.n_parallel = settings["slots"]
params.n_ctx = settings["context"] * settings["slots"]
params.cpuparams.n_threads = settings["threads"]
params.cpuparams_batch.n_threads = settings["threads"]
# A connection that is kept open holds one of these, so the default of a few would make requests wait for each other.
params.n_threads_http = settings["connections"]
server = xllamacpp.Server(params)
threading.Event().wait()
