"""A relaxation whose whole history is pickled every five iterations, in no span."""

import pickle

import numpy as np
import pitwall

rng = np.random.default_rng(0)
state = {"grid": rng.normal(size=(120, 120)),
         "history": [rng.random(2000).tolist() for _ in range(150)]}


def dump_state(number):
    with open("state%d.pkl" % (number % 3), "wb") as file:
        pickle.dump(state, file)


for iteration in range(500):
    with pitwall.span("iteration"):
        with pitwall.span("solve"):
            state["grid"] = np.tanh(state["grid"] @ state["grid"]) * 0.1
        if iteration % 5 == 4:
            dump_state(iteration)
print(state["grid"].sum())
