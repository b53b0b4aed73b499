"""Solve a large sparse system by conjugate gradients, many right-hand sides in turn."""

import numpy as np
import pitwall

rng = np.random.default_rng(0)
SIDE = 220


def apply(u):
    out = 4.05 * u
    out[1:] -= u[:-1]
    out[:-1] -= u[1:]
    out[:, 1:] -= u[:, :-1]
    out[:, :-1] -= u[:, 1:]
    return out


for number in range(60):
    with pitwall.span("solve"):
        with pitwall.span("assemble"):
            b = rng.random((SIDE, SIDE))
        with pitwall.span("iterate"):
            x, r = np.zeros_like(b), b.copy()
            p, rr = r.copy(), np.vdot(r, r)
            for _ in range(60):
                q = apply(p)
                alpha = rr / np.vdot(p, q)
                x += alpha * p
                r -= alpha * q
                rr, before = np.vdot(r, r), rr
                p = r + (rr / before) * p
        with pitwall.span("check"):
            error = np.abs(apply(x) - b).max()
print(error)
